/**
 * The clocks of processors, as the stage shows them: how much of the present tick has passed.
 *
 * A clock whose ticks have one length is asked for once; one whose ticks differ is asked again when its next tick has come.
 */

import { hasClocks } from "./layout.js";

/** The clocks of a run. */
export class Clocks {
  /** @param {any} lab */
  constructor(lab) {
    this.lab = lab;
    /** @type {({tick: number | null, first: number, next: number | null, since: number, at: number} | null)[]} */
    this.known = [];
    this.shares = new Float64Array(0);
    this.shown = false;
  }

  /** A run was opened. @param {any} run */
  open(run) {
    const sites = run.n - (run.cells ?? 0);
    this.shown = hasClocks(run);
    this.known = Array.from({ length: this.shown ? sites : 0 }, () => null);
    this.shares = new Float64Array(this.known.length).fill(Number.NaN);
  }

  /**
   * Asks for the clocks that are not known, after the run has moved.
   * @param {{state: Uint8Array, bits: Uint8Array}} frame
   * @param {number} time
   */
  refresh(frame, time) {
    if (!this.shown) return;
    for (let place = 0; place < this.known.length; place++) {
      const running = (frame.bits[place] & 1) === 0 && frame.state[place] !== 0;
      const clock = this.known[place];
      if (!running) {
        this.known[place] = null;
        continue;
      }
      const stale = clock === null || clock.at > time || clock.at !== time && (frame.bits[place] & 4) !== 0
        || (clock.tick === null && clock.next !== null && clock.next <= time);
      if (!stale) continue;
      const view = this.lab.attempt(() => this.lab.request("inspect", { place }));
      this.known[place] = view?.clock ? { ...view.clock, since: time, at: time } : null;
    }
  }

  /**
   * How much of its tick has passed for each clock at a time; NaN where there is none.
   * @param {number} now
   * @returns {Float64Array}
   */
  at(now) {
    this.known.forEach((clock, place) => {
      this.shares[place] = clock ? share(clock, now) : Number.NaN;
    });
    return this.shares;
  }

  /**
   * A clock in words.
   * @param {number} place
   * @returns {string}
   */
  words(place) {
    const clock = this.known[place];
    if (!clock) return "";
    const next = nextTick(clock, this.lab.now ?? this.lab.position.time);
    const length = clock.tick === null ? "ticks of different lengths" : `tick of ${clock.tick}`;
    return next === null ? length : `${length}, the next at ${next}`;
  }
}

/** @param {{tick: number | null, first: number, next: number | null, since: number}} clock @param {number} now */
function share(clock, now) {
  if (clock.tick !== null) {
    const ticks = (now - clock.first) / clock.tick;
    return ticks < 0 ? 0 : ticks - Math.floor(ticks);
  }
  if (clock.next === null || clock.next <= clock.since) return 0;
  return Math.max(0, Math.min(0.999, (now - clock.since) / (clock.next - clock.since)));
}

/** @param {{tick: number | null, first: number, next: number | null}} clock @param {number} now */
function nextTick(clock, now) {
  if (clock.tick === null) return clock.next;
  return clock.first + Math.max(0, Math.floor((now - clock.first) / clock.tick) + 1) * clock.tick;
}
