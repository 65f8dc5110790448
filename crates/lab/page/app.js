/**
 * The store that all views share: one run, the moment at which it stands, what is selected; and how views are wired to it.
 */

import { LabError } from "./engine.js";

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {import("./engine.js").Frame} Frame */

/**
 * A step in words.
 * @typedef {object} Step
 * @property {number} move
 * @property {number} time
 * @property {number} place
 * @property {string} cause
 * @property {string} text
 * @property {{number: number, text: string}[]} rules
 * @property {number[]} sent
 * @property {number | null} received
 * @property {{field: string, from: string, to: string}[]} changed
 */

/**
 * Where the run stands.
 * @typedef {object} Position
 * @property {number} move
 * @property {number} time
 * @property {number} messages
 * @property {number} deliveries
 * @property {number} phases
 * @property {number} leaders
 * @property {number} inside
 * @property {number} violations
 * @property {number} place
 * @property {boolean} over
 * @property {string} digest
 * @property {Step | null} step
 */

/** @typedef {{move: number, time: number, place: number, kind: string, phase?: number, text: string}} Mark */
/** @typedef {{over: boolean, moves: number, time: number, marks: Mark[], digest?: string, verdict?: string, outcome?: string, thinned?: boolean}} Ahead */
/** @typedef {{processor: number | null, message: number | null}} Selection */

/** How long a slice of the work ahead may take, in milliseconds. */
const SLICE = 8;
/** The moves of the first slice; later ones are as long as a slice allows. */
const FIRST_BUDGET = 2000;

/** One run, as all views see it. */
export class Lab extends EventTarget {
  /** @param {Engine} engine */
  constructor(engine) {
    super();
    this.engine = engine;
    /** @type {number | null} */
    this.session = null;
    /** @type {any} what is known of the run before it begins */
    this.run = null;
    /** @type {Position} */
    this.position = { move: 0, time: 0, messages: 0, deliveries: 0, phases: 0, leaders: 0, inside: 0, violations: 0, place: 0, over: false, digest: "", step: null };
    /** @type {Ahead} */
    this.ahead = { over: false, moves: 0, time: 0, marks: [] };
    /** @type {Selection} */
    this.selection = { processor: null, message: null };
    this.playing = false;
    this.speed = 1;
    /** @type {string[]} */
    this.notes = [];
    /** @type {number | undefined} the time that the stage shows while the run is played */
    this.now = undefined;
    /** @type {Frame | null} */
    this.pictured = null;
    /** @type {number | null} */
    this.wanted = null;
    this.budget = FIRST_BUDGET;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** The picture of the present moment. */
  get frame() {
    this.pictured ??= this.engine.frame(this.openSession());
    return this.pictured;
  }

  /** The number of the open session. */
  openSession() {
    if (this.session === null) throw new LabError("No run is open", "choose one from the catalogue");
    return this.session;
  }

  /**
   * Makes a request about the open session.
   * @param {string} op
   * @param {object} [fields]
   * @returns {any}
   */
  request(op, fields = {}) {
    return this.engine.request(op, { session: this.openSession(), ...fields });
  }

  /**
   * Does something that a user asked for; an error becomes a sentence on the page.
   * @template T
   * @param {() => T} action
   * @returns {T | undefined}
   */
  attempt(action) {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      this.emit("failed", { message: error.message, advice: error.advice, allowed: error.allowed });
      return undefined;
    }
  }

  /**
   * Opens a run; the one that is open stays if this one is refused.
   * @param {{line?: string, options?: object, trace?: string, link?: string}} what
   */
  open(what) {
    const answer = this.engine.request("open", what);
    this.close();
    this.session = answer.session;
    this.selection = { processor: null, message: null, ...(answer.selection ?? {}) };
    this.budget = FIRST_BUDGET;
    this.began(answer, { what }, answer.position);
    // A recorded violation is opened where it happens.
    if (what.trace !== undefined && this.position.violations > 0) this.emit("violation", {});
  }

  /** Ends the session. */
  close() {
    this.pause();
    clearTimeout(this.timer);
    if (this.session !== null) this.engine.request("close", { session: this.session });
    this.session = null;
  }

  /**
   * Takes over a run that has just been made or changed.
   * @param {any} answer
   * @param {object} detail what happened
   * @param {Position} from where the views stood
   */
  began(answer, detail, from) {
    this.run = answer.run;
    this.position = answer.position;
    this.notes = answer.notes ?? answer.run.notes ?? [];
    this.pictured = null;
    this.now = undefined;
    this.wanted = null;
    this.ahead = { over: false, moves: 0, time: 0, marks: [] };
    this.emit("opened", detail);
    this.emit("moved", { from, to: this.position, smooth: false });
    this.attempt(() => this.lookAhead());
  }

  /** Runs towards the end for a slice, and arranges for the next one. */
  lookAhead() {
    clearTimeout(this.timer);
    const began = performance.now();
    const answer = this.request("ahead", { budget: Math.max(1, Math.round(this.budget)), since: this.ahead.marks.length });
    const spent = performance.now() - began;
    this.budget = Math.min(1e6, Math.max(50, this.budget * Math.min(4, SLICE / Math.max(spent, 0.5))));
    const marks = [...this.ahead.marks.slice(0, answer.from), ...answer.marks];
    this.ahead = { ...answer, marks };
    this.emit("ahead", {});
    if (!answer.over) this.timer = setTimeout(() => this.attempt(() => this.lookAhead()), 1);
  }

  /**
   * Goes to a moment.
   * @param {any} to `{move}`, `{time}`, `{phase}`, `{mark}`, `{message}`, "start" or "end"
   */
  go(to) {
    this.moved(this.request("go", { to }), false);
  }

  /**
   * Steps forward, or back by a negative count.
   * @param {"move" | "instant" | "phase" | "processor" | "message"} unit
   * @param {number} [count]
   * @param {number} [place] whose steps, where the unit is a processor
   */
  step(unit, count = 1, place = undefined) {
    const by = { unit, count, ...(place === undefined ? {} : { place }) };
    this.moved(this.request("go", { by }), Math.abs(count) === 1 && unit !== "phase");
  }

  /**
   * Goes to a move soon: of several wishes within an animation frame, only the last is granted.
   * @param {number} move
   */
  goMove(move) {
    const idle = this.wanted === null;
    this.wanted = move;
    if (!idle) return;
    requestAnimationFrame(() => {
      const wanted = this.wanted;
      this.wanted = null;
      if (wanted !== null && wanted !== this.position.move) this.attempt(() => this.go({ move: wanted }));
    });
  }

  /**
   * @param {Position} position
   * @param {boolean} smooth whether a view may glide from the one to the other
   */
  moved(position, smooth) {
    const from = this.position;
    this.position = position;
    this.pictured = null;
    this.emit("moved", { from, to: position, smooth });
  }

  /**
   * Selects a processor or a message; of what is not named, nothing is selected.
   * @param {Partial<Selection>} selection
   */
  select(selection) {
    const { processor = null, message = null } = selection;
    if (processor === this.selection.processor && message === this.selection.message) return;
    this.selection = { processor, message };
    this.emit("selected", {});
  }

  /**
   * Interferes with the run: it becomes another one, which stands at the same move.
   * @param {{message?: number, place?: number, action?: string | null, clear?: boolean}} what
   */
  intervene(what) {
    this.changed(this.request("intervene", what), { intervention: what });
  }

  /**
   * Takes one of the enabled events as the next move.
   * @param {number} index
   */
  take(index) {
    this.changed(this.request("take", { index }), { taken: index });
  }

  /**
   * @param {any} answer
   * @param {object} what
   */
  changed(answer, what) {
    const from = this.position;
    this.pause();
    this.began(answer, { changed: true, ...what }, from);
  }

  /** Stands at the first violation, or at the end where there is none (a deadlock). */
  toViolation() {
    const mark = this.ahead.marks.find(({ kind }) => kind === "violation");
    this.go(mark ? { move: mark.move } : "end");
    this.emit("violation", {});
  }

  /** Begins to play, from the start if the run is over. */
  play() {
    if (this.playing || this.session === null) return;
    if (this.position.over) this.attempt(() => this.go("start"));
    this.playing = true;
    this.emit("playing", {});
  }

  /** Stops playing. */
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.emit("playing", {});
  }

  /** Plays or pauses. */
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} speed a factor */
  setSpeed(speed) {
    this.speed = speed;
    this.emit("playing", {});
  }

  /**
   * The name of a processor as people say it.
   * @param {number} place
   */
  name(place) {
    const given = this.run?.names?.[place];
    if (given) return given;
    const id = this.run?.ids?.[place];
    return id === undefined || id === null ? `place ${place}` : `place ${place} (id ${id})`;
  }

  /**
   * @param {string} type
   * @param {object} detail
   */
  emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/**
 * Listens to several events of a run, with one function.
 * @param {Lab} lab
 * @param {string} types separated by spaces
 * @param {(event: any) => void} listener
 */
export function on(lab, types, listener) {
  for (const type of types.split(" ")) lab.addEventListener(type, listener);
}
