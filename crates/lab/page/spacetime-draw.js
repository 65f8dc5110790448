/** Draws a stretch of a run as a space-time diagram on a canvas: processors across, time downward. */

import { brief, grouped } from "./brief.js";
import { star } from "./glyphs.js";
import { kindDashes } from "./palette.js";
import { milestoneOf } from "./spacetime-block.js";

/** @typedef {import("./spacetime-block.js").Block} Block */
/** @typedef {import("./spacetime-block.js").Line} Line */
/**
 * @typedef {object} View
 * @property {number} width
 * @property {number} height
 * @property {number} left of the first column
 * @property {number} top of the diagram, below the names
 * @property {number} space from one column to the next
 * @property {number} shift columns are moved to the left by so many pixels
 * @property {number} scroll the block is moved up by so many pixels
 * @property {number} type how large text is, 1 as usual
 * @property {number} cursor the move at which the run stands
 * @property {number | undefined} now the time that is shown while playing, which may be between moves
 * @property {boolean} toScale
 * @property {{past: Set<number>, future: Set<number>} | null} cone
 * @property {number | null} processor that is selected
 * @property {number | null} message that is selected
 * @property {Set<number>} meddled messages with an intervention
 */

const STAR = new Path2D(star(8, 4));
const TURN = 2 * Math.PI;
/** How much of what is not meant is seen. */
const FAINT = 0.16;
/** What the run has not come to yet. */
const AHEAD = 0.42;

const BARS = { trying: ["--trying", 5], critical: ["--gold", 10], reading: ["--reader", 10], writing: ["--writer", 10], paused: ["--red", 0], crashed: ["--red", 0] };

/** Draws diagrams with one pen. */
export class Diagram {
  /** @param {CanvasRenderingContext2D} pen @param {import("./palette.js").Palette} palette */
  constructor(pen, palette) {
    this.pen = pen;
    this.palette = palette;
    // What is drawn: draw() sets it.
    /** @type {Block} */
    this.block = /** @type {any} */ (null);
    /** @type {any} */
    this.run = null;
    /** @type {View} */
    this.view = /** @type {any} */ (null);
    /** Whether there is a second column at the right end, where the ring closes. */
    this.ghost = false;
    /** The y of the present moment. */
    this.now = 0;
  }

  /** @param {string} name */
  colour(name) {
    return this.palette.get(name);
  }

  /** The x of a place. @param {View} view @param {number} place */
  x(view, place) {
    return view.left + place * view.space - view.shift;
  }

  /** The y of a row of the block. @param {View} view @param {Block} block @param {number} row */
  y(view, block, row) {
    return view.top + block.y[row] - view.scroll;
  }

  /**
   * Draws everything.
   * @param {Block} block
   * @param {any} run
   * @param {View} view
   */
  draw(block, run, view) {
    const { pen } = this;
    this.block = block;
    this.run = run;
    this.view = view;
    this.ghost = run.topology !== "complete" && run.n > 2 && run.n <= 64;
    this.now = this.cursorY();
    pen.clearRect(0, 0, view.width, view.height);
    pen.save();
    pen.beginPath();
    pen.rect(0, view.top - 8, view.width, view.height);
    pen.clip();
    this.drawConflicts();
    this.drawAxis();
    this.drawColumns();
    this.drawBars();
    this.drawLines();
    this.drawEvents();
    this.drawCursor();
    pen.restore();
    this.drawNames();
  }

  /** The first and the last row that can be seen. */
  visible() {
    const { y } = this.block;
    const { scroll, height } = this.view;
    let first = 0;
    let last = y.length - 1;
    while (first < last && y[first + 1] < scroll - 20) first++;
    while (last > first && y[last - 1] > scroll + height) last--;
    return [first, last];
  }

  /** Where the present moment is drawn: just below the last move that was made. */
  cursorY() {
    const { block, view } = this;
    if (block.rows.length === 0 || view.cursor < block.first) return this.y(view, block, 0) - 9;
    const row = block.row(view.cursor);
    const next = row + 1 < block.rows.length ? this.y(view, block, row + 1) : Number.POSITIVE_INFINITY;
    const here = this.y(view, block, row);
    if (view.toScale && view.now !== undefined && Number.isFinite(next)) {
      const [from, to] = [block.rows[row].time, block.rows[row + 1].time];
      if (to > from) return here + (next - here) * Math.max(0, Math.min(1, (view.now - from) / (to - from)));
    }
    return here + Math.min(7, (next - here) / 2);
  }

  drawAxis() {
    const { pen, block, view, run } = this;
    const [first, last] = this.visible();
    pen.font = `${11 * this.view.type}px ${this.colour("--font")}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    let written = Number.NEGATIVE_INFINITY;
    let before = -1;
    for (let row = first; row <= last && row < block.rows.length; row++) {
      const { time, move } = block.rows[row];
      const y = this.y(view, block, row);
      if (time === before && !run.untimed) continue;
      before = time;
      if (y - written < 26 * view.type) continue;
      written = y;
      pen.strokeStyle = this.colour("--grid");
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(view.left - 14, y);
      pen.lineTo(view.width, y);
      pen.stroke();
      if (Math.abs(y - this.now) < 13 * view.type) continue;
      pen.fillStyle = this.colour("--pale");
      pen.fillText(grouped(run.untimed ? move : time), view.left - 20, y);
    }
    pen.strokeStyle = this.colour("--pale");
    for (const row of block.breaks) {
      const y = (this.y(view, block, row) + this.y(view, block, row - 1)) / 2;
      pen.lineWidth = 1.2;
      pen.beginPath();
      for (let i = 0; i <= 6; i++) pen.lineTo(view.left - 30 + i * 3, y + (i % 2 ? 3 : -3));
      pen.stroke();
    }
  }

  /** Behind everything: where some are inside together that must not be. */
  drawConflicts() {
    const { pen, block, view } = this;
    for (const { from, to } of block.conflicts) {
      const top = from < 0 ? view.top - 8 : this.y(view, block, from);
      const bottom = this.y(view, block, to);
      if (bottom < view.top || top > view.height) continue;
      pen.globalAlpha = top > this.now ? AHEAD : 1;
      pen.fillStyle = this.colour("--violation-background");
      pen.fillRect(view.left - 12, top, view.width, Math.max(2, bottom - top));
      pen.strokeStyle = this.colour("--red");
      pen.lineWidth = 1;
      pen.setLineDash([3, 2]);
      for (const y of [top, bottom]) this.segment(view.left - 12, y, view.width, y);
      pen.setLineDash([]);
    }
    pen.globalAlpha = 1;
  }

  drawColumns() {
    const { pen, view, run } = this;
    pen.lineWidth = 1.2;
    for (let place = 0; place < run.n + (this.ghost ? 1 : 0); place++) {
      const x = this.x(view, place);
      if (x < view.left - 2 || x > view.width + 2) continue;
      pen.strokeStyle = this.colour(place === view.processor ? "--work-0" : "--column");
      pen.globalAlpha = place === run.n ? 0.6 : view.space < 16 ? 0.5 : 1;
      pen.setLineDash(place === run.n ? [2, 4] : []);
      pen.beginPath();
      pen.moveTo(x, view.top - 8);
      pen.lineTo(x, view.height);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  drawBars() {
    const { pen, block, view } = this;
    for (const { place, from, to, activity } of block.bars) {
      const x = this.x(view, place);
      if (x < view.left - 6 || x > view.width) continue;
      const top = from < 0 ? view.top - 8 : this.y(view, block, from);
      const bottom = to < 0 ? Math.max(this.now, top) : this.y(view, block, to);
      const [colour, width] = BARS[/** @type {keyof typeof BARS} */ (activity)];
      const wide = Math.min(Number(width), view.space * (activity === "trying" ? 0.22 : 0.6));
      const strength = view.cone && !(top <= this.now && bottom >= this.now && activity !== "trying") ? 0.4 : 1;
      if (activity === "paused" || activity === "crashed") {
        pen.globalAlpha = top > this.now ? AHEAD * strength : strength;
        this.fault(x, top, bottom, activity === "crashed");
        continue;
      }
      // What has not happened yet is paler.
      const split = Math.max(top, Math.min(bottom, this.now));
      for (const [from, to, alpha] of [[top, split, strength], [split, bottom, strength * AHEAD]]) {
        if (to <= from && !(top === bottom && alpha === strength)) continue;
        pen.globalAlpha = alpha;
        pen.fillStyle = this.colour(String(colour));
        pen.fillRect(x - wide / 2, from, wide, Math.max(2, to - from));
        if (activity === "trying" || wide < 5) continue;
        pen.strokeStyle = this.colour("--ink");
        pen.lineWidth = 0.8;
        pen.strokeRect(x - wide / 2, from, wide, Math.max(2, to - from));
      }
    }
    pen.globalAlpha = 1;
  }

  /** Beside the line of a processor: it is down, or it pauses.
   * @param {number} x @param {number} top @param {number} bottom @param {boolean} crashed */
  fault(x, top, bottom, crashed) {
    const { pen } = this;
    pen.strokeStyle = this.colour("--red");
    pen.lineWidth = 1.6;
    pen.setLineDash(crashed ? [2, 3] : []);
    for (const side of crashed ? [0] : [-2.5, 2.5]) {
      pen.beginPath();
      pen.moveTo(x + side, top);
      pen.lineTo(x + side, bottom);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  /** From where to where a line goes; null if nothing of it can be seen. @param {Line} line */
  ends(line) {
    const { block, view, run } = this;
    let [from, to] = [line.from, line.to];
    if (this.ghost && from === run.n - 1 && to === 0) to = run.n;
    else if (this.ghost && from === 0 && to === run.n - 1) from = run.n;
    let [x0, x1] = [this.x(view, from), this.x(view, to)];
    let y0 = line.sent < 0 ? Number.NaN : this.y(view, block, line.sent);
    let y1 = line.handled < 0 ? Number.NaN : this.y(view, block, line.handled);
    if (Number.isNaN(y0)) {
      // Sent before: it comes from above.
      y0 = this.y(view, block, 0) - 30;
      x0 = x1 + (x0 - x1) * 0.5;
    }
    const open = Number.isNaN(y1);
    if (open) {
      y1 = Math.max(y0 + 18, Math.min(this.y(view, block, block.rows.length - 1) + 12, y0 + 60));
      x1 = x0 + (x1 - x0) * 0.6;
    }
    if (line.lost) x1 = x0 + (x1 - x0) * 0.55;
    if (Math.max(y0, y1) < view.top - 20 || Math.min(y0, y1) > view.height) return null;
    if (Math.max(x0, x1) < view.left || Math.min(x0, x1) > view.width) return null;
    return { x0, y0, x1, y1, open };
  }

  /** How strongly a line is drawn. @param {Line} line @param {number} y0 */
  strength(line, y0) {
    const { view } = this;
    if (view.cone) {
      const { past, future } = view.cone;
      const inside = (/** @type {Set<number>} */ rows) => rows.has(line.sent) && rows.has(line.handled);
      return inside(past) || inside(future) ? 1 : FAINT;
    }
    return y0 > this.now ? AHEAD : 1;
  }

  drawLines() {
    const { pen, block, view, run } = this;
    const kinds = new Map(run.kinds.map((/** @type {any} */ kind) => [kind.name, kind]));
    const dense = block.lines.length > 250 && view.space < 20;
    const labels = [];
    for (const line of block.lines) {
      const ends = this.ends(line);
      if (!ends) continue;
      const { x0, y0, x1, y1, open } = ends;
      const kind = kinds.get(line.kind);
      const colour = this.palette.kind(kind);
      const chosen = line.number === view.message;
      const strength = this.strength(line, y0);
      pen.strokeStyle = colour;
      pen.lineWidth = chosen ? 3.4 : view.cone && strength === 1 ? 2 : dense ? 0.8 : 1.5;
      pen.setLineDash(open ? [4, 4] : kindDashes(kind));
      const visible = strength * (dense ? 0.6 : 0.9);
      // As far as it has come, and, paler, what lies ahead of it.
      const share = view.cone || y1 <= y0 ? 0 : Math.max(0, Math.min(1, (this.now - y0) / (y1 - y0)));
      const [xm, ym] = [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
      pen.globalAlpha = visible;
      this.segment(x0, y0, share > 0 ? xm : x1, share > 0 ? ym : y1);
      if (share > 0 && share < 1) {
        pen.globalAlpha = visible * AHEAD;
        pen.lineDashOffset = Math.hypot(xm - x0, ym - y0);
        this.segment(xm, ym, x1, y1);
        pen.lineDashOffset = 0;
      }
      pen.setLineDash([]);
      if (line.lost) this.cross(x1, y1, 5);
      else if (!open && !dense) this.head(x0, y0, x1, y1, colour, view.space < 14 ? 4 : 7);
      if (view.meddled.has(line.number)) this.ring((x0 + x1) / 2, (y0 + y1) / 2);
      if (strength > FAINT && Math.abs(x1 - x0) > 26) labels.push({ line, x: (x0 + x1) / 2, y: (y0 + y1) / 2, strength });
    }
    pen.globalAlpha = 1;
    if (labels.length <= 150) this.drawLabels(labels);
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
  segment(x0, y0, x1, y1) {
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }

  /** @param {{line: Line, x: number, y: number, strength: number}[]} labels */
  drawLabels(labels) {
    const { pen } = this;
    pen.font = `${10.5 * this.view.type}px ${this.colour("--font")}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    /** @type {[number, number][]} */
    const written = [];
    for (const { line, x, y, strength } of labels) {
      const text = brief(line.kind, line.text);
      const room = 8 + text.length * 6;
      if (!text || written.some(([left, top]) => Math.abs(left - x) < room && Math.abs(top - y) < 12)) continue;
      written.push([x, y]);
      pen.globalAlpha = Math.max(strength, 0.7);
      pen.strokeStyle = this.colour("--paper");
      pen.strokeText(text, x, y);
      pen.fillStyle = this.colour("--ink");
      pen.fillText(text, x, y);
    }
    pen.globalAlpha = 1;
  }

  /** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour @param {number} size */
  head(x0, y0, x1, y1, colour, size) {
    const { pen } = this;
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
    const [tx, ty] = [x1 - dx * 2, y1 - dy * 2];
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(tx, ty);
    pen.lineTo(tx - dx * size - dy * size * 0.42, ty - dy * size + dx * size * 0.42);
    pen.lineTo(tx - dx * size + dy * size * 0.42, ty - dy * size - dx * size * 0.42);
    pen.fill();
  }

  /** @param {number} x @param {number} y @param {number} size */
  cross(x, y, size) {
    const { pen } = this;
    pen.strokeStyle = this.colour("--red");
    pen.lineWidth = 2.4;
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x + size, y - size);
    pen.lineTo(x - size, y + size);
    pen.stroke();
  }

  /** A link is cut, or healed. @param {number} x @param {number} y @param {string} colour */
  bars(x, y, colour) {
    const { pen } = this;
    pen.strokeStyle = this.colour(colour);
    pen.lineWidth = 2.2;
    for (const off of [-3, 3]) this.segment(x - 7, y + off, x + 7, y + off);
  }

  /** Somebody interfered with this message. @param {number} x @param {number} y */
  ring(x, y) {
    const { pen } = this;
    pen.strokeStyle = this.colour("--red");
    pen.lineWidth = 1.6;
    pen.setLineDash([3, 2]);
    pen.beginPath();
    pen.arc(x, y, 9, 0, TURN);
    pen.stroke();
    pen.setLineDash([]);
  }

  drawEvents() {
    const { pen, block, view } = this;
    const [first, last] = this.visible();
    const size = view.space < 8 ? 1.4 : 2.6;
    for (let row = first; row <= last && row < block.rows.length; row++) {
      const event = block.rows[row];
      const [x, y] = [this.x(view, event.place), this.y(view, block, row)];
      if (x < view.left - 6 || x > view.width + 6) continue;
      const what = milestoneOf(event);
      const outside = view.cone && !view.cone.past.has(row) && !view.cone.future.has(row);
      pen.globalAlpha = outside ? FAINT * 1.5 : y > this.now ? AHEAD : 1;
      if (event.cause === "crash") this.cross(x, y, 6);
      else if (event.cause === "cut" || event.cause === "heal") this.bars(x, y, event.cause === "cut" ? "--red" : "--ink");
      else if (event.cause === "restart") this.dot(x, y, 5, "--paper", "--red");
      else if (what === "elected") this.star(x, y);
      else if (what === "requested") this.dot(x, y, Math.min(4, size * 1.4), "--paper", "--ink");
      else if (what === "follows") this.dot(x, y, size * 1.35, "--ink", "--paper");
      else if (event.cause !== "loss" && event.cause !== "duplicate") this.dot(x, y, size, "--pale", "--paper");
      if (row === block.row(view.cursor) && block.has(view.cursor)) this.here(x, y);
    }
    pen.globalAlpha = 1;
  }

  /** @param {number} x @param {number} y */
  star(x, y) {
    const { pen } = this;
    pen.translate(x, y);
    pen.fillStyle = this.colour("--gold");
    pen.strokeStyle = this.colour("--leader");
    pen.lineWidth = 1;
    pen.fill(STAR);
    pen.stroke(STAR);
    pen.translate(-x, -y);
  }

  /** @param {number} x @param {number} y @param {number} r @param {string} fill @param {string} edge */
  dot(x, y, r, fill, edge) {
    const { pen } = this;
    pen.fillStyle = this.colour(fill);
    pen.strokeStyle = this.colour(edge);
    pen.lineWidth = 1;
    pen.beginPath();
    pen.arc(x, y, r, 0, TURN);
    pen.fill();
    pen.stroke();
  }

  /** The move at which the run stands. @param {number} x @param {number} y */
  here(x, y) {
    const { pen } = this;
    pen.strokeStyle = this.colour("--work-0");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 8, 0, TURN);
    pen.stroke();
  }

  drawCursor() {
    const { pen, view } = this;
    pen.strokeStyle = this.colour("--work-0");
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(view.left - 14, this.now);
    pen.lineTo(view.width, this.now);
    pen.stroke();
    pen.fillStyle = this.colour("--work-0");
    pen.beginPath();
    pen.moveTo(view.left - 8, this.now);
    pen.lineTo(view.left - 15, this.now - 5);
    pen.lineTo(view.left - 15, this.now + 5);
    pen.fill();
    const { block, run } = this;
    if (!block.has(view.cursor)) return;
    const { time, move } = block.rows[block.row(view.cursor)];
    const text = grouped(run.untimed ? move : Math.floor(Math.max(time, view.now ?? time)));
    pen.font = `700 ${11 * view.type}px ${this.colour("--font")}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.lineWidth = 6;
    pen.lineJoin = "round";
    pen.strokeStyle = this.colour("--paper");
    pen.strokeText(text, view.left - 20, this.now);
    pen.fillText(text, view.left - 20, this.now);
  }

  drawNames() {
    const { pen, view, run } = this;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "center";
    const widest = Math.max(16, (String(run.ids ? Math.max(...sample(run.ids)) : run.n).length * 9 + 6) * view.type);
    const every = Math.max(1, Math.ceil(widest / view.space));
    const [id, font] = [Boolean(run.ids), this.colour("--font")];
    for (let place = 0; place < run.n + (this.ghost ? 1 : 0); place += place === run.n - 1 ? 1 : every) {
      const x = this.x(view, place);
      if (x < view.left - 4 || x > view.width - 2) continue;
      const real = place % run.n;
      pen.globalAlpha = place === run.n ? 0.5 : 1;
      pen.fillStyle = this.colour(place === view.processor ? "--work-0" : "--ink");
      pen.font = `700 ${13 * this.view.type}px ${font}`;
      const role = real < run.readers ? "R" : real < run.readers + run.writers ? "W" : "";
      pen.fillText(id ? String(run.ids[real] ?? "") : role || (run.cells && real >= run.sites ? "cell" : ""), x, 18 * view.type);
      pen.fillStyle = this.colour("--pale");
      pen.font = `${10.5 * this.view.type}px ${font}`;
      pen.fillText(String(real), x, 32 * view.type);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = this.colour("--pale");
    pen.textAlign = "right";
    pen.font = `${10.5 * this.view.type}px ${font}`;
    if (id) pen.fillText("id", view.left - 20, 18 * view.type);
    pen.fillText("place", view.left - 20, 32 * view.type);
    pen.fillText(run.untimed ? "action ↓" : "time ↓", view.left - 20, 46 * view.type);
  }
}

/** The ends of a list, and some between them: enough to know how wide its entries are. @param {number[]} list */
function sample(list) {
  return list.length <= 2000 ? list : list.filter((_, index) => index % Math.ceil(list.length / 2000) === 0);
}
