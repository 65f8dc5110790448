/**
 * Plays a run. Where there are clocks and messages take time, the time of the run passes evenly and messages travel at their
 * own speed; otherwise one move follows the other at a steady beat.
 */

import { reducedMotion } from "./palette.js";

/** A message of ordinary delay, and a move where time says nothing, take so many milliseconds. */
const BEAT = 600;
/** Nothing happens for at most so many message delays; then the next move follows. */
const LONGEST_WAIT = 3;
/** "As fast as possible" shows all of a run in about so many frames. */
const FRAMES = 240;

/** The speeds offered: factors, and as fast as possible. */
export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 64, Infinity];

/** Drives a lab while it is playing. */
export class Player {
  /** @param {any} lab */
  constructor(lab) {
    this.lab = lab;
    this.mine = false;
    this.request = 0;
    this.last = 0;
    this.due = 0;
    lab.addEventListener("playing", () => (lab.playing ? this.start() : this.stop()));
    lab.addEventListener("opened", () => (lab.now = undefined));
    lab.addEventListener("moved", () => {
      if (!this.mine) lab.now = undefined;
    });
  }

  /** Whether the time of the run passes evenly. */
  get byTime() {
    const { untimed, timing } = this.lab.run;
    return !untimed && timing.d[1] > 0 && !reducedMotion();
  }

  /** The time of the run that passes while a message of ordinary delay travels. */
  get delay() {
    const { d } = this.lab.run.timing;
    return Math.max(0.5, (d[0] + d[1]) / 2);
  }

  start() {
    if (this.request) return;
    if (this.lab.position?.over) this.lab.go("start");
    this.last = performance.now();
    this.due = 0;
    this.request = requestAnimationFrame((at) => this.frame(at));
  }

  stop() {
    cancelAnimationFrame(this.request);
    this.request = 0;
  }

  /** @param {number} at */
  frame(at) {
    const lab = this.lab;
    this.request = 0;
    if (!lab.playing || !lab.run) return;
    // A page that was hidden does not catch up.
    const passed = Math.min(100, Math.max(0, at - this.last));
    this.last = at;
    this.mine = true;
    try {
      if (lab.speed === Infinity) this.rush();
      else if (this.byTime) this.flow(passed * lab.speed);
      else this.beat(passed * lab.speed);
    } finally {
      this.mine = false;
    }
    lab.dispatchEvent(new Event("tick"));
    if (lab.position?.over) lab.pause();
    else if (lab.playing) this.request = requestAnimationFrame((next) => this.frame(next));
  }

  rush() {
    const moves = Math.max(1, Math.ceil((this.lab.ahead?.moves ?? FRAMES) / FRAMES));
    this.lab.step("move", moves);
    this.lab.now = undefined;
  }

  /** @param {number} ms */
  flow(ms) {
    const lab = this.lab;
    const before = lab.position.time;
    const now = (lab.now ?? before) + (ms / BEAT) * this.delay;
    const waits = now - before > LONGEST_WAIT * this.delay && !this.travelling(now);
    if (waits) {
      lab.step("move", 1);
      lab.now = lab.position.time;
    } else {
      if (Math.floor(now) > before) lab.go({ time: Math.floor(now) });
      else if (lab.position.move === 0) lab.go({ time: 0 });
      lab.now = Math.max(now, lab.position.time);
    }
  }

  /** Whether a message will arrive later than now. @param {number} now */
  travelling(now) {
    return this.lab.frame.messages.some((/** @type {any} */ message) => message.stage === 0 && message.arrives > now);
  }

  /** @param {number} ms */
  beat(ms) {
    this.due += ms / BEAT;
    const moves = Math.floor(this.due);
    if (moves === 0) return;
    this.due -= moves;
    this.lab.step("move", moves);
    this.lab.now = undefined;
  }
}
