/**
 * The stage for more processors than can be told apart: a ring of sectors. How much of a sector is filled with which colour
 * says how many of its processors are in which state, and in which phase, so that arcs of equal state stand out; bars around it are the messages
 * in flight, and the bars in the middle count the survivors of each phase, or the processors in each state.
 */

import { star } from "./glyphs.js";
import { fitCanvas, magnify, WHOLE, wipe } from "./message-layer.js";
import { onTheme, Palette, STATES } from "./palette.js";

/** @typedef {import("./layout.js").Layout} Layout */

const TURN = 2 * Math.PI;
/** Shades of those who are active, by phase. */
const SHADES = 6;
/** States that share a colour, from the inside out; the first shade stands for all of them where there are no phases. */
const CLASSES = [
  { name: "asleep", colour: "--grid", states: [0] },
  ...Array.from({ length: SHADES }, (_, shade) => ({ name: "active", colour: `--density-${shade}`, states: shade === 0 ? [1] : [] })),
  { name: "trying", colour: "--trying", states: [6] },
  { name: "passive", colour: "--column", states: [2, 5, 10] },
  { name: "decided", colour: "--announcement-0", states: [4] },
  { name: "leader, or inside", colour: "--gold", states: [3, 7, 8, 9] },
  { name: "crashed", colour: "--red", states: [] },
];
const ACTIVE = 1;
const CRASHED = CLASSES.length - 1;
const SPECIAL = CRASHED - 1;
/** The class of each state. */
const CLASS_OF = Uint8Array.from(STATES, (_, state) => CLASSES.findIndex(({ states }) => states.includes(state)));
/** More phases are not listed. */
const MOST_ROWS = 9;

/** The stage as an overview. */
export class OverviewStage {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.palette = new Palette(element);
    this.canvas = document.createElement("canvas");
    this.canvas.className = "stage-canvas overview";
    this.canvas.setAttribute("aria-hidden", "true");
    element.append(this.canvas);
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.zoom = WHOLE;
    this.counts = new Uint32Array(0);
    this.totals = new Uint32Array(CLASSES.length);
    this.messages = new Uint32Array(0);
    /** The highest phase; 0 where there are none. */
    this.top = 0;
    /** The first places that stand out. @type {number[]} */
    this.special = [];
    /** @type {any} */
    this.frame = null;
    /** @type {number | null} */
    this.chosen = null;
    this.stop = onTheme(() => {
      this.palette.refresh();
      this.paint();
    });
  }

  /** Takes the stage away. */
  remove() {
    this.stop();
    this.canvas.remove();
  }

  /** @param {any} run @param {Layout} layout */
  build(run, layout) {
    this.run = run;
    this.layout = layout;
    fitCanvas(this.canvas, layout);
    this.far = Math.min(layout.width, layout.height) / 2 - 46;
    this.near = this.far * 0.72;
    this.frame = null;
    this.divide();
  }

  /** As many sectors as can be told apart. */
  divide() {
    this.sectors = Math.min(this.run.n, Math.max(120, Math.floor((TURN * (this.far ?? 0) * this.zoom.scale) / 2)));
    this.counts = new Uint32Array(this.sectors * CLASSES.length);
    this.messages = new Uint32Array(this.sectors);
  }

  /** Shows a part of the drawing, magnified: its sectors are then finer. @param {import("./message-layer.js").Magnified} zoom */
  magnify({ scale, x, y }) {
    const finer = scale !== this.zoom.scale;
    this.zoom = { scale, x, y };
    if (finer) this.divide();
    if (this.frame && finer) this.update(this.frame);
    else this.paint();
  }

  /** The radius of the free middle. */
  get hole() {
    return (this.near ?? 0) - 12;
  }

  /**
   * Counts a frame, and draws it.
   * @param {{n: number, state: Uint8Array, bits: Uint8Array, phase: Uint16Array, messages: any[]}} frame
   */
  update(frame) {
    this.frame = frame;
    this.top = this.run.phased ? frame.phase.reduce((a, b) => Math.max(a, b), 1) : 0;
    // By phase, the shade of who is active.
    const shades = Uint8Array.from({ length: this.top + 1 }, (_, phase) => this.shade(phase));
    const sectors = this.sectors ?? 1;
    const { n, state, bits, phase } = frame;
    this.counts.fill(0);
    this.totals.fill(0);
    this.messages.fill(0);
    this.special.length = 0;
    for (let sector = 0, place = 0; sector < sectors; sector++) {
      const end = Math.floor(((sector + 1) * n) / sectors);
      const base = sector * CLASSES.length;
      for (; place < end; place++) {
        const of = bits[place] & 1 ? CRASHED : CLASS_OF[state[place]] + (state[place] === 1 && this.top > 0 ? shades[phase[place]] : 0);
        this.counts[base + of]++;
        if (of === SPECIAL && this.special.length < 64) this.special.push(place);
      }
      for (let of = 0; of < CLASSES.length; of++) this.totals[of] += this.counts[base + of];
    }
    for (const message of frame.messages) this.messages[Math.floor(((message.from + 0.5) * sectors) / n)]++;
    this.paint();
  }

  /** The shade of a phase: the last phases are the darkest. @param {number} phase */
  shade(phase) {
    return Math.max(0, Math.min(SHADES - 1, SHADES - 1 - Math.floor(((this.top - phase) * SHADES) / Math.max(this.top, SHADES))));
  }

  /** The colour of a class. @param {number} of */
  colour(of) {
    return of === ACTIVE && !this.top ? "--ink" : CLASSES[of].colour;
  }

  /** What a class is called. @param {number} of */
  name(of) {
    if (!this.top || of < ACTIVE || of >= ACTIVE + SHADES) return CLASSES[of].name;
    const phases = [];
    for (let phase = 0; phase <= this.top; phase++) if (this.shade(phase) === of - ACTIVE) phases.push(phase);
    return phases.length > 1 ? `active, phases ${phases[0]}–${phases.at(-1)}` : `active, phase ${phases[0]}`;
  }

  /** Draws what was counted. */
  paint() {
    const { pen, layout, far = 0, near = 0, sectors = 1 } = this;
    if (!layout || !this.frame) return;
    wipe(pen);
    pen.save();
    magnify(pen, this.zoom);
    pen.translate(layout.cx, layout.cy);
    for (let of = 0; of < CLASSES.length; of++) {
      pen.fillStyle = this.palette.get(this.colour(of));
      pen.beginPath();
      for (let sector = 0; sector < sectors; sector++) this.piece(sector, of, near, far, sectors);
      pen.fill();
    }
    this.paintMessages(far, sectors);
    pen.strokeStyle = this.palette.get("--frame");
    pen.lineWidth = 1 / this.zoom.scale;
    for (const radius of [near, far]) {
      pen.beginPath();
      pen.arc(0, 0, radius, 0, TURN);
      pen.stroke();
    }
    this.paintSpecial(far);
    pen.restore();
  }

  /** @param {number} sector @param {number} of @param {number} near @param {number} far @param {number} sectors */
  piece(sector, of, near, far, sectors) {
    const base = sector * CLASSES.length;
    const count = this.counts[base + of];
    if (count === 0) return;
    let [below, all] = [0, 0];
    for (let other = 0; other < CLASSES.length; other++) {
      if (other < of) below += this.counts[base + other];
      all += this.counts[base + other];
    }
    const from = near + ((far - near) * below) / all;
    const to = near + ((far - near) * (below + count)) / all;
    const [a, b] = [(TURN * sector) / sectors - TURN / 4, (TURN * (sector + 1.06)) / sectors - TURN / 4];
    const { pen } = this;
    pen.moveTo(from * Math.cos(a), from * Math.sin(a));
    pen.lineTo(to * Math.cos(a), to * Math.sin(a));
    pen.lineTo(to * Math.cos(b), to * Math.sin(b));
    pen.lineTo(from * Math.cos(b), from * Math.sin(b));
  }

  /** @param {number} far @param {number} sectors */
  paintMessages(far, sectors) {
    const { pen, messages } = this;
    const most = messages.reduce((a, b) => Math.max(a, b), 1);
    pen.fillStyle = this.palette.get("--work-0");
    pen.beginPath();
    for (let sector = 0; sector < sectors; sector++) {
      if (messages[sector] === 0) continue;
      const [a, b] = [(TURN * sector) / sectors - TURN / 4, (TURN * (sector + 1.04)) / sectors - TURN / 4];
      const [from, to] = [far + 3, far + 4 + (18 * Math.log2(1 + messages[sector])) / Math.log2(1 + most)];
      pen.moveTo(from * Math.cos(a), from * Math.sin(a));
      pen.lineTo(to * Math.cos(a), to * Math.sin(a));
      pen.lineTo(to * Math.cos(b), to * Math.sin(b));
      pen.lineTo(from * Math.cos(b), from * Math.sin(b));
    }
    pen.fill();
  }

  /** Stars and squares outside where somebody stands out. @param {number} far */
  paintSpecial(far) {
    const { pen, frame } = this;
    for (const place of this.special) {
      const angle = (TURN * (place + 0.5)) / frame.n;
      const leader = frame.state[place] === 3;
      pen.save();
      pen.translate((far + 30) * Math.sin(angle), -(far + 30) * Math.cos(angle));
      pen.fillStyle = this.palette.get("--gold");
      pen.strokeStyle = this.palette.get("--leader");
      pen.lineWidth = 1.4;
      const shape = new Path2D(leader ? star(13, 7) : "M-8-8H8V8H-8Z");
      pen.fill(shape);
      pen.stroke(shape);
      pen.restore();
    }
    if (this.chosen !== null) {
      const angle = (TURN * (this.chosen + 0.5)) / frame.n - TURN / 4;
      pen.strokeStyle = this.palette.get("--work-2");
      pen.lineWidth = 2 / this.zoom.scale;
      pen.beginPath();
      pen.moveTo((this.near ?? 0) * Math.cos(angle), (this.near ?? 0) * Math.sin(angle));
      pen.lineTo((far + 8) * Math.cos(angle), (far + 8) * Math.sin(angle));
      pen.stroke();
    }
  }

  /** Nothing is kept for a message. */
  release() {}

  /**
   * The bars in the middle: survivors by phase, or processors by state.
   * @param {{phase: number, candidates: number}[]} phases
   * @returns {{title: string, rows: {name: string, count: number, colour: string}[]}}
   */
  rows(phases) {
    if (phases.length > 0) {
      const rows = phases.slice(-MOST_ROWS).map(({ phase, candidates }) => ({ name: `phase ${phase}`, count: candidates, colour: `--density-${this.shade(phase)}` }));
      return { title: "survivors", rows };
    }
    const rows = CLASSES.map((_, of) => ({ name: this.name(of), colour: this.colour(of), count: this.totals[of] })).filter(({ count }) => count > 0);
    return { title: "processors", rows };
  }

  /** What the colours mean, as far as they occur. */
  colours() {
    return CLASSES.map((_, of) => ({ name: this.name(of), colour: this.colour(of) })).filter((_, of) => this.totals[of] > 0);
  }

  /** Where a processor is drawn. @param {number} place */
  pointOf(place) {
    const { layout, far = 0, near = 0 } = this;
    const angle = (TURN * (place + 0.5)) / this.run.n;
    return [(layout?.cx ?? 0) + ((near + far) / 2) * Math.sin(angle), (layout?.cy ?? 0) - ((near + far) / 2) * Math.cos(angle)];
  }

  /**
   * The place drawn at a point, or null outside the ring.
   * @param {number} x
   * @param {number} y
   */
  placeAt(x, y) {
    const { layout } = this;
    if (!layout || !this.frame) return null;
    const [dx, dy] = [x - layout.cx, y - layout.cy];
    const distance = Math.hypot(dx, dy);
    if (distance < this.hole || distance > (this.far ?? 0) + 44) return null;
    const turn = (Math.atan2(dx, -dy) / TURN + 1) % 1;
    const exact = this.special.find((place) => Math.abs(place / this.frame.n - turn) < 0.012);
    return exact !== undefined && distance > (this.far ?? 0) + 14 ? exact : Math.min(this.frame.n - 1, Math.floor(turn * this.frame.n));
  }

  /** @param {number | null} processor */
  select(processor) {
    if (this.chosen === processor) return;
    this.chosen = processor;
    this.paint();
  }
}
