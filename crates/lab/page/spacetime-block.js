/**
 * A stretch of a run for the space-time diagram: its moves, where they are on the axis of time, the lines of its messages, who
 * is inside, and the causal cone of a move.
 */

/**
 * @typedef {{number: number, to: number, kind: string, text: string}} Sent
 * @typedef {{number: number, from: number, kind: string, text?: string}} Received
 * @typedef {object} Row a move, as the engine tells it
 * @property {number} move
 * @property {number} time
 * @property {number} place
 * @property {string} cause
 * @property {string} text
 * @property {number | null} received
 * @property {Sent[]} sends
 * @property {Received[]} receives
 * @property {{number: number, from: number, copy?: number}[]} [faults]
 * @property {string | {milestone: string}} [milestone]
 * @property {number} [until]
 * @typedef {{number: number, kind: string, text: string, from: number, to: number, sent: number, handled: number, lost: boolean, copy: boolean}} Line
 *   rows of the block at which it is sent and handled; -1 where that is outside
 * @typedef {{place: number, from: number, to: number, activity: "trying" | "critical" | "reading" | "writing" | "paused" | "crashed"}} Bar
 */

/** A wait longer than this many ordinary message delays is cut short. */
const LONGEST_WAIT = 3;

/** What processors do for a while, by their states in frames. @type {Record<number, Bar["activity"] | undefined>} */
const ACTIVITIES = { 6: "trying", 7: "critical", 8: "reading", 9: "writing" };

/** @param {Row} row @returns {string} */
export const milestoneOf = ({ milestone }) => (typeof milestone === "string" ? milestone.split(" ")[0] : milestone?.milestone ?? "");

/** A stretch of a run. */
export class Block {
  /**
   * @param {Row[]} rows
   * @param {any} run
   * @param {{state: Uint8Array} | null} frame the present moment, for what lasts longer than the block
   */
  constructor(rows, run, frame) {
    this.rows = rows.map((row) => (Array.isArray(row.receives) && row.sends ? row : { ...row, receives: listed(row.receives), sends: row.sends ?? [] }));
    this.run = run;
    this.first = rows[0]?.move ?? 1;
    this.last = rows.at(-1)?.move ?? 0;
    this.lines = this.findLines();
    this.bars = this.findBars(frame);
    /** Rows from and to which some are inside together that must not be. @type {{from: number, to: number}[]} */
    this.conflicts = this.findConflicts();
    /** By row. */
    this.y = new Float64Array(rows.length);
    /** Rows after a wait that was cut short. @type {number[]} */
    this.breaks = [];
  }

  /** The row of a move, or the nearest one. @param {number} move */
  row(move) {
    return Math.max(0, Math.min(this.rows.length - 1, move - this.first));
  }

  /** Whether a move is in the block. @param {number} move */
  has(move) {
    return move >= this.first && move <= this.last;
  }

  /**
   * Puts the rows on the axis.
   * @param {boolean} toScale by time; otherwise one after the other
   * @param {number} zoom pixels from one move to the next; some more for the delay of a message
   */
  scale(toScale, zoom) {
    const { rows, y } = this;
    this.breaks = [];
    if (!toScale) {
      rows.forEach((_, row) => (y[row] = row * zoom));
      return;
    }
    const { d, r } = this.run.timing;
    const delay = Math.max(1, (d[0] + d[1]) / 2);
    const longest = Math.max(LONGEST_WAIT * delay, 2 * (r?.[1] ?? 1), d[1]);
    const unit = (4.5 * zoom) / delay;
    let at = 0;
    rows.forEach((row, index) => {
      const wait = index === 0 ? 0 : row.time - rows[index - 1].time;
      if (wait > longest) this.breaks.push(index);
      at += Math.min(wait, longest) * unit;
      y[index] = at;
    });
  }

  /** The height of all rows. */
  get height() {
    return this.y[this.rows.length - 1] ?? 0;
  }

  /** The lines of the messages. @returns {Line[]} */
  findLines() {
    /** @type {Map<number, Line>} */
    const lines = new Map();
    this.rows.forEach((row, index) => {
      for (const { number, from, kind, text } of row.receives) {
        const line = lines.get(number);
        if (line) line.handled = index;
        else lines.set(number, { number, kind, text: text ?? "", from, to: row.place, sent: -1, handled: index, lost: false, copy: false });
      }
      for (const { number, to, kind, text } of row.sends) {
        lines.set(number, { number, kind, text, from: row.place, to, sent: index, handled: -1, lost: false, copy: false });
      }
      for (const { number, from, copy } of row.faults ?? []) {
        const line = lines.get(number);
        if (copy !== undefined) lines.set(copy, { number: copy, kind: line?.kind ?? "", text: line?.text ?? "", from, to: row.place, sent: index, handled: -1, lost: false, copy: true });
        else if (line) Object.assign(line, { handled: index, lost: true });
        else lines.set(number, { number, kind: "", text: "", from, to: row.place, sent: -1, handled: index, lost: true, copy: false });
      }
    });
    return [...lines.values()];
  }

  /** Who tries, is inside, pauses or is down, and how long. @param {{state: Uint8Array} | null} frame @returns {Bar[]} */
  findBars(frame) {
    /** @type {Bar[]} */
    const bars = [];
    /** @type {Map<string, Bar>} */
    const open = new Map();
    const seen = new Set();
    const begin = (/** @type {number} */ place, /** @type {number} */ from, /** @type {Bar["activity"]} */ activity, group = "use") => {
      const bar = { place, from, to: -1, activity };
      bars.push(bar);
      open.set(`${group} ${place}`, bar);
    };
    const end = (/** @type {number} */ place, /** @type {number} */ to, group = "use") => {
      const bar = open.get(`${group} ${place}`);
      if (bar) bar.to = to;
      open.delete(`${group} ${place}`);
    };
    this.rows.forEach((row, index) => {
      const { place, cause } = row;
      const what = milestoneOf(row);
      const before = activityBefore(what, this.role(place));
      if (before !== undefined && !seen.has(place)) {
        seen.add(place);
        if (before) begin(place, -1, before);
      }
      if (before !== undefined) end(place, index);
      const after = activityAfter(what, this.role(place));
      if (after) begin(place, index, after);
      if (cause === "crash") begin(place, index, "crashed", "fault");
      if (cause === "restart") end(place, index, "fault");
      if (cause === "pause" && row.until !== undefined) {
        const to = this.rows.findIndex((other) => other.time >= /** @type {number} */ (row.until));
        bars.push({ place, from: index, to, activity: "paused" });
      }
    });
    const { n } = this.run;
    for (let place = 0; frame && place < n && n <= 4096; place++) {
      const activity = ACTIVITIES[frame.state[place]];
      if (activity && !seen.has(place)) bars.push({ place, from: -1, to: -1, activity });
    }
    return bars;
  }

  /** Where those who exclude each other are inside together. Shared cells exclude nobody. */
  findConflicts() {
    const inside = this.run.cells > 0 ? [] : this.bars.filter(({ activity }) => activity === "critical" || activity === "reading" || activity === "writing");
    const end = (/** @type {Bar} */ { to }) => (to < 0 ? this.rows.length - 1 : to);
    inside.sort((a, b) => a.from - b.from);
    const conflicts = [];
    for (const [index, one] of inside.entries()) {
      for (let next = index + 1; next < inside.length && inside[next].from < end(one); next++) {
        const other = inside[next];
        const excluded = one.place !== other.place && !(one.activity === "reading" && other.activity === "reading");
        if (excluded) conflicts.push({ from: other.from, to: Math.min(end(one), end(other)) });
      }
    }
    return conflicts;
  }

  /** @param {number} place @returns {Bar["activity"]} */
  role(place) {
    const { readers, writers } = this.run;
    if (place < (readers ?? 0)) return "reading";
    return place < (readers ?? 0) + (writers ?? 0) ? "writing" : "critical";
  }

  /**
   * The causal cone of a move: the rows that led to it, and those to which it led.
   * @param {number} move
   * @returns {{past: Set<number>, future: Set<number>}}
   */
  cone(move) {
    const start = this.row(move);
    const past = new Set([start]);
    const future = new Set([start]);
    const senders = new Map();
    for (const { sent, handled, lost } of this.lines) {
      if (sent < 0 || handled < 0 || lost) continue;
      senders.set(handled, [...(senders.get(handled) ?? []), sent]);
    }
    const wanted = new Set();
    for (let row = start; row >= 0; row--) {
      if (!past.has(row) && !wanted.has(this.rows[row].place)) continue;
      past.add(row);
      wanted.add(this.rows[row].place);
      for (const sent of senders.get(row) ?? []) past.add(sent);
    }
    const reached = new Set([this.rows[start]?.place]);
    for (let row = start + 1; row < this.rows.length; row++) {
      const { place } = this.rows[row];
      if (!reached.has(place) && !(senders.get(row) ?? []).some((/** @type {number} */ sent) => future.has(sent))) continue;
      future.add(row);
      reached.add(place);
    }
    return { past, future };
  }
}

/** @template T @param {T | T[] | null | undefined} value @returns {T[]} */
function listed(value) {
  return Array.isArray(value) ? value : value ? [value] : [];
}

/** What a processor did until a milestone: null for nothing, undefined if the milestone does not tell.
 * @param {string} what @param {Bar["activity"]} inside @returns {Bar["activity"] | null | undefined} */
function activityBefore(what, inside) {
  if (what === "requested") return null;
  if (what === "entered") return "trying";
  if (what === "attempt") return "trying";
  if (what === "left" || what === "read" || what === "written") return inside;
  return undefined;
}

/** What it does from then on. @param {string} what @param {Bar["activity"]} inside @returns {Bar["activity"] | null} */
function activityAfter(what, inside) {
  if (what === "requested") return "trying";
  return what === "entered" || what === "attempt" ? inside : null;
}
