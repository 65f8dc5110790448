/**
 * The messages on a stage: where each is drawn between its sender and its receiver, and how it glides from one frame to the
 * next. Nothing is allocated per frame: messages that are gone are used again.
 */

import { Path } from "./layout.js";
import { reducedMotion } from "./palette.js";

/** @typedef {import("./layout.js").Layout} Layout */

/** Where a message is, as frames number it. */
export const STAGE = { TRAVELLING: 0, WAITING: 1, BEHIND: 2, HELD: 3, QUEUED: 4 };

/** A message is this share of the rest nearer to its place after so many milliseconds. */
const EASE = 75;
/** The same where a message covers half of its link in one glide. */
const SLOW_EASE = 140;

/** A message that is drawn. */
export class Flight {
  constructor() {
    this.number = this.from = this.to = this.port = this.kind = this.stage = this.sent = 0;
    this.arrives = Number.NaN;
    this.copy = this.intervened = false;
    /** Its rank among those that wait at the same place. */
    this.rank = 0;
    this.path = new Path();
    /** The share of its path at which it is drawn. */
    this.shown = 0;
    this.leaving = false;
    this.generation = 0;
    /** Free for the view. @type {any} */
    this.view = null;
  }

  /**
   * The share of its path where it belongs.
   * @param {number} now
   * @param {number} room the pixels that a message takes that waits
   */
  target(now, room) {
    const spread = Math.max(0.08, Math.min(0.3, room / this.path.length));
    switch (this.stage) {
      case STAGE.WAITING:
        return Math.min(0.45, this.rank * spread);
      case STAGE.BEHIND:
        return Math.max(0.06, 0.5 - (this.rank + 1) * spread);
      case STAGE.HELD:
        return Math.max(0.5, 0.96 - this.rank * spread);
      case STAGE.QUEUED:
        return Math.max(0.4, 1 - this.rank * spread);
      default: {
        const length = this.arrives - this.sent;
        if (!(length > 0)) return 0.5;
        return Math.max(0, Math.min(1, (now - this.sent) / length));
      }
    }
  }
}

/** All messages on a stage. */
export class Flights {
  constructor() {
    /** @type {Map<number, Flight>} */
    this.known = new Map();
    /** Those that are drawn. @type {Flight[]} */
    this.list = [];
    /** @type {Flight[]} */
    this.free = [];
    this.generation = 0;
    /** @type {Layout | null} */
    this.layout = null;
    this.room = 10;
    /** @type {Map<number, number>} */
    this.ranks = new Map();
    /** Called with a flight that is not drawn any more. @type {(flight: Flight) => void} */
    this.dropped = () => {};
  }

  /** Puts everything on the links of another layout. @param {Layout} layout */
  place(layout) {
    this.layout = layout;
    this.room = Math.max(4, Math.min(13, layout.r * 0.8));
    for (const flight of this.list) flight.path.set(layout, flight.from, flight.to, flight.port);
  }

  /** Forgets all messages. */
  clear() {
    for (const flight of this.list) this.drop(flight);
    this.list.length = 0;
    this.known.clear();
  }

  /** @param {Flight} flight */
  drop(flight) {
    this.dropped(flight);
    flight.view = null;
    this.free.push(flight);
  }

  /**
   * Takes over the messages of a frame.
   * @param {{messages: any[]}} frame
   * @param {number} now
   * @param {boolean} smooth messages come and go by gliding
   * @param {boolean} back the step led back in time
   */
  update(frame, now, smooth, back) {
    const layout = this.layout;
    if (!layout) return;
    const glide = smooth && !reducedMotion();
    const generation = ++this.generation;
    this.ranks.clear();
    for (const message of frame.messages) {
      let flight = this.known.get(message.number);
      const fresh = !flight || flight.leaving;
      if (!flight) {
        flight = this.free.pop() ?? new Flight();
        flight.number = message.number;
        flight.port = message.port;
        flight.path.set(layout, message.from, message.to, message.port);
        this.known.set(message.number, flight);
        this.list.push(flight);
      }
      flight.from = message.from;
      flight.to = message.to;
      flight.kind = message.kind;
      flight.stage = message.stage;
      flight.sent = message.sent;
      flight.arrives = message.arrives;
      flight.copy = message.copy;
      flight.intervened = message.intervened;
      flight.leaving = false;
      flight.generation = generation;
      if (message.stage !== STAGE.TRAVELLING) this.setRank(flight, layout.n);
      if (!glide) flight.shown = flight.target(now, this.room);
      else if (fresh) flight.shown = back ? 1 : 0;
    }
    let kept = 0;
    for (const flight of this.list) {
      if (flight.generation !== generation) {
        if (glide && flight.shown > 0 && (flight.leaving || flight.generation === generation - 1)) {
          flight.leaving = true;
          flight.stage = back ? -1 : -2;
        } else {
          this.known.delete(flight.number);
          this.drop(flight);
          continue;
        }
      }
      this.list[kept++] = flight;
    }
    this.list.length = kept;
  }

  /** @param {Flight} flight @param {number} n */
  setRank(flight, n) {
    const end = flight.stage === STAGE.QUEUED || flight.stage === STAGE.HELD ? n * n : 0;
    const link = end + flight.from * n + flight.to;
    const rank = this.ranks.get(link) ?? 0;
    this.ranks.set(link, rank + 1);
    flight.rank = rank;
  }

  /**
   * Lets time pass.
   * @param {number} now the time of the run that is shown
   * @param {number} ms milliseconds since the last call
   * @param {boolean} slow messages take their time, as no clock moves them
   * @returns {boolean} whether something still glides
   */
  glide(now, ms, slow) {
    const still = reducedMotion();
    const ease = still ? 1 : 1 - Math.exp(-ms / (slow ? SLOW_EASE : EASE));
    let moving = false;
    let kept = 0;
    for (const flight of this.list) {
      const target = flight.leaving ? (flight.stage === -1 ? 0 : 1) : flight.target(now, this.room);
      const rest = target - flight.shown;
      if (rest > 0.004 || rest < -0.004) {
        flight.shown += rest * ease;
        moving = true;
      } else {
        flight.shown = target;
      }
      if (flight.leaving && (still || Math.abs(target - flight.shown) < 0.03)) {
        this.known.delete(flight.number);
        this.drop(flight);
        continue;
      }
      this.list[kept++] = flight;
    }
    this.list.length = kept;
    return moving;
  }
}
