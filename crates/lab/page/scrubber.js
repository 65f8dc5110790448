/**
 * The scrubber: plays a run and steps through it forward and back, by event, instant, phase and processor; a slider over all
 * moves with markers of what matters, to which one can jump.
 */

import { grouped } from "./brief.js";
import { say, soon } from "./dom.js";
import { Marks } from "./marks.js";
import { Player, SPEEDS } from "./player.js";

const ICONS = {
  start: "M5 4v12M16 4.5 7.5 10l8.5 5.5Z",
  end: "M15 4v12M4 4.5l8.5 5.5L4 15.5Z",
  back: "M13.5 4.5 5.5 10l8 5.5Z",
  forward: "M6.5 4.5l8 5.5-8 5.5Z",
  play: "M5.5 3.5 16.5 10 5.5 16.5Z",
  pause: "M5.5 3.5h3.200v13H5.5ZM11.300 3.5h3.200v13h-3.200Z",
  earlier: "M11 5l-5 5 5 5M16.5 7l2 3-2 3-2-3Z",
  later: "M9 5l5 5-5 5M3.5 7l2 3-2 3-2-3Z",
};

/** While a run is played, nobody reads numbers more often than after so many milliseconds. */
const TOLD_EVERY = 100;

/** What a step is. */
const UNITS = [
  { unit: "move", name: "event", title: "Step by event: all that one processor does at once" },
  { unit: "instant", name: "instant", title: "Step by instant: all that happens at one time" },
  { unit: "phase", name: "phase", title: "Step by phase of the protocol" },
  { unit: "processor", name: "processor", title: "Step by event of the selected processor" },
];

/** @param {string} path */
function icon(path) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  element.setAttribute("viewBox", "0 0 20 20");
  element.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  element.append(shape);
  return element;
}

/** Steps and plays a lab's run. */
export class Scrubber {
  /**
   * @param {HTMLElement} element
   * @param {any} lab
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    this.player = new Player(lab);
    this.unit = "move";
    this.dragging = false;
    element.classList.add("scrubber");
    const make = (/** @type {string} */ tag, /** @type {string} */ name) => {
      const made = document.createElement(tag);
      made.className = name;
      return made;
    };
    this.slider = make("div", "slider");
    this.done = make("div", "done");
    this.knob = make("div", "knob");
    /** The width of the slider. */
    this.width = 0;
    new ResizeObserver(([entry]) => {
      this.width = entry.contentRect.width;
      this.schedule();
    }).observe(this.slider);
    this.whereMove = make("span", "");
    this.whereTime = make("span", "when");
    this.speed = document.createElement("select");
    /** @type {{unit: string, element: HTMLButtonElement}[]} */
    this.units = [];
    this.startButton = this.button("To the start (Home)", ICONS.start, () => this.jump("start"));
    this.earlier = this.button("To the marker before", ICONS.earlier, () => this.toMark(-1));
    this.backButton = this.button("Step back (←)", ICONS.back, () => this.stepBy(-1));
    this.playButton = this.button("Play (space)", ICONS.play, () => lab.toggle());
    this.forwardButton = this.button("Step forward (→)", ICONS.forward, () => this.stepBy(1));
    this.later = this.button("To the next marker", ICONS.later, () => this.toMark(1));
    this.endButton = this.button("To the end (End)", ICONS.end, () => this.jump("end"));
    this.marks = new Marks(this.slider, lab);
    this.tell = soon(() => this.showWhere(), () => (lab.playing ? TOLD_EVERY : 0));
    this.buildTransport();
    this.buildSlider();
    for (const name of ["opened", "moved", "ahead", "selected", "playing"]) lab.addEventListener(name, () => this.schedule());
    lab.addEventListener("opened", () => this.opened());
    this.request = 0;
    if (lab.run) this.opened();
  }

  /**
   * @param {string} name
   * @param {string} path
   * @param {() => void} action
   */
  button(name, path, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "btn icon";
    made.title = name;
    made.setAttribute("aria-label", name);
    made.append(icon(path));
    made.addEventListener("click", () => {
      if (made.getAttribute("aria-disabled") !== "true") this.lab.attempt(action);
    });
    return made;
  }

  buildTransport() {
    const row = document.createElement("div");
    row.className = "transport";
    this.playButton.classList.add("play");
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    buttons.append(this.startButton, this.earlier, this.backButton, this.playButton, this.forwardButton, this.later, this.endButton);
    const where = document.createElement("p");
    where.className = "where";
    where.append(this.whereMove, this.whereTime);
    const units = document.createElement("span");
    units.className = "units";
    units.append("Step by", this.unitChoice());
    row.append(buttons, units, this.speedChoice(), where);
    this.element.append(row);
  }

  /** What a step is: one of several buttons. */
  unitChoice() {
    const group = document.createElement("div");
    group.className = "seg";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Step by");
    this.units = UNITS.map(({ unit, name, title }) => {
      const made = document.createElement("button");
      made.type = "button";
      made.title = title;
      made.textContent = name;
      made.addEventListener("click", () => {
        if (made.getAttribute("aria-disabled") === "true") return;
        this.unit = unit;
        this.schedule();
      });
      group.append(made);
      return { unit, element: made };
    });
    return group;
  }

  speedChoice() {
    const label = document.createElement("label");
    label.className = "speed";
    const words = document.createElement("span");
    words.className = "visually-hidden";
    words.textContent = "Speed";
    for (const value of SPEEDS) {
      const option = document.createElement("option");
      option.value = String(value);
      option.textContent = value === Infinity ? "fastest" : `${value}×`;
      this.speed.append(option);
    }
    this.speed.addEventListener("change", () => this.lab.setSpeed(Number(this.speed.value)));
    label.title = "Speed";
    label.append(words, this.speed);
    return label;
  }

  buildSlider() {
    const { slider } = this;
    slider.tabIndex = 0;
    slider.setAttribute("role", "slider");
    slider.setAttribute("aria-label", "Move of the run");
    slider.setAttribute("aria-valuemin", "0");
    const track = document.createElement("div");
    track.className = "track";
    const known = document.createElement("div");
    known.className = "known";
    track.append(known, this.done);
    slider.append(track, this.knob);
    slider.addEventListener("pointerdown", (event) => this.press(event));
    slider.addEventListener("pointermove", (event) => this.drag(event));
    slider.addEventListener("pointerup", () => this.release());
    slider.addEventListener("pointercancel", () => this.release());
    slider.addEventListener("pointerleave", () => this.marks.hide());
    slider.addEventListener("keydown", (event) => this.key(event));
    this.element.append(slider, this.marks.legend);
  }

  /** A run was opened. */
  opened() {
    const { run } = this.lab;
    if (this.unit === "phase" && !run.phased) this.unit = "move";
    if (this.unit === "instant" && run.untimed) this.unit = "move";
    this.schedule();
  }

  /** The number of moves from the left end to the right one. */
  get length() {
    return Math.max(1, this.lab.ahead?.moves ?? 0, this.lab.position?.move ?? 0);
  }

  /** Shows the present moment in the next animation frame. */
  schedule() {
    if (this.request) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      if (this.lab.run) this.show();
    });
  }

  show() {
    const { lab } = this;
    const { position, ahead } = lab;
    const share = position.move / this.length;
    this.done.style.transform = `scaleX(${share})`;
    this.knob.style.translate = `${share * this.width}px`;
    this.element.classList.toggle("computing", !ahead.over);
    this.tell();
    this.showButtons();
    this.marks.show(this.length, ahead.marks, ahead.moves);
  }

  /** Says where the run stands. */
  showWhere() {
    const { position, ahead, run } = this.lab;
    if (!run) return;
    const { slider } = this;
    slider.setAttribute("aria-valuemax", String(this.length));
    slider.setAttribute("aria-valuenow", String(position.move));
    const all = ahead.over ? ` of ${grouped(ahead.moves)}` : "";
    const time = run.untimed ? "" : ` · time ${grouped(position.time)}`;
    const move = `event ${grouped(position.move)}${all}`;
    // Large numbers are all that there is room for.
    say(this.whereMove, ahead.moves < 100_000 ? move : move.replace("event ", ""));
    say(this.whereTime, time);
    slider.setAttribute("aria-valuetext", `${move}${time}`);
  }

  showButtons() {
    const { lab, playButton } = this;
    const { position, ahead, run, selection } = lab;
    const atEnd = position.over;
    for (const button of [this.startButton, this.backButton]) disable(button, position.move === 0);
    for (const button of [this.forwardButton, this.endButton]) disable(button, atEnd);
    disable(this.earlier, !ahead.marks.some((/** @type {any} */ mark) => mark.move < position.move));
    disable(this.later, !ahead.marks.some((/** @type {any} */ mark) => mark.move > position.move));
    const state = lab.playing ? "pause" : "play";
    if (playButton.dataset.state !== state) {
      playButton.dataset.state = state;
      const name = lab.playing ? "Pause (space)" : "Play (space)";
      playButton.title = name;
      playButton.setAttribute("aria-label", name);
      playButton.querySelector("path")?.setAttribute("d", ICONS[state]);
    }
    for (const { unit, element } of this.units) {
      const offered = !(unit === "phase" && !run.phased) && !(unit === "instant" && run.untimed) && !(unit === "processor" && selection.processor === null);
      disable(element, !offered);
      if (element.getAttribute("aria-pressed") !== String(unit === this.unit)) element.setAttribute("aria-pressed", String(unit === this.unit));
    }
    if (document.activeElement !== this.speed && this.speed.value !== String(lab.speed)) this.speed.value = String(lab.speed);
  }

  /** @param {any} to */
  jump(to) {
    this.lab.pause();
    this.lab.go(to);
  }

  /** Steps by what was chosen. @param {1 | -1} count */
  stepBy(count) {
    const { lab } = this;
    lab.pause();
    const processor = lab.selection.processor;
    if (this.unit === "processor" && processor !== null) lab.step("processor", count, processor);
    else lab.step(this.unit === "processor" ? "move" : this.unit, count);
  }

  /** Jumps to the next marker, or to the one before. @param {1 | -1} direction */
  toMark(direction) {
    const { marks } = this.lab.ahead;
    const here = this.lab.position.move;
    let best = -1;
    marks.forEach((/** @type {any} */ mark, /** @type {number} */ index) => {
      const far = (mark.move - here) * direction;
      if (far > 0 && (best < 0 || far < (marks[best].move - here) * direction)) best = index;
    });
    if (best >= 0) this.jump({ move: marks[best].move });
  }

  /** @param {PointerEvent} event */
  moveAt(event) {
    const box = this.slider.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    return Math.round(share * this.length);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || !this.lab.run) return;
    this.lab.pause();
    this.slider.setPointerCapture(event.pointerId);
    this.dragging = true;
    const mark = this.marks.near(event);
    this.lab.goMove(mark ? mark.move : this.moveAt(event));
    if (mark?.kind !== "phase" && mark?.place !== undefined && mark.place < this.lab.run.n) this.lab.select({ processor: mark.place });
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.dragging) this.lab.goMove(this.moveAt(event));
    else this.marks.hover(event, this.moveAt(event));
  }

  release() {
    this.dragging = false;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { lab } = this;
    if (!lab.run || event.altKey || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.round(this.length / 20));
    const step = (/** @type {number} */ count) => () => lab.step(event.shiftKey && !lab.run.untimed ? "instant" : "move", count);
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowRight: step(1), ArrowUp: step(1), ArrowLeft: step(-1), ArrowDown: step(-1),
      PageUp: () => lab.step("move", page), PageDown: () => lab.step("move", -page),
      Home: () => lab.go("start"), End: () => lab.go("end"),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    lab.pause();
    lab.attempt(action);
  }
}

/** Turns a button off, and keeps the focus where it is. @param {HTMLButtonElement | undefined} button @param {boolean} off */
function disable(button, off) {
  if (button?.getAttribute("aria-disabled") !== String(off)) button?.setAttribute("aria-disabled", String(off));
}
