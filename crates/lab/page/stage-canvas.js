/**
 * The stage on canvases, up to ten thousand processors: links, processors and messages have a layer each; of processors,
 * only those that changed are drawn again.
 */

import { cross, glyph, radius, stands } from "./glyphs.js";
import { hasChords } from "./layout.js";
import { fitCanvas, magnify, MessageLayer, WHOLE, wipe } from "./message-layer.js";
import { onTheme, Palette } from "./palette.js";
import { cutKey, cutPaths } from "./stage-cuts.js";

/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./flights.js").Flights} Flights */
/** @typedef {import("./flights.js").Flight} Flight */

const TURN = 2 * Math.PI;
/** A processor that is shown at least as large has its name in it. */
const NAMED = 9;

/** The stage on canvases. */
export class CanvasStage {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.palette = new Palette(element);
    /** Links, and processors above them. */
    this.layers = [0, 1].map(() => {
      const canvas = document.createElement("canvas");
      canvas.className = "stage-canvas";
      canvas.setAttribute("aria-hidden", "true");
      element.append(canvas);
      return canvas;
    });
    const pens = this.layers.map((canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")));
    this.linkPen = pens[0];
    this.nodePen = pens[1];
    this.messages = new MessageLayer(element, this.palette);
    /** @type {Layout | null} */
    this.layout = null;
    this.drawn = new Uint8Array(0);
    this.bits = new Uint8Array(0);
    /** @type {any} */
    this.frame = null;
    /** Shapes by state. @type {{body: Path2D, mark: Path2D | null, look: import("./glyphs.js").Glyph}[]} */
    this.shapes = [];
    this.last = -1;
    this.zoom = WHOLE;
    /** @type {string[] | null} */
    this.ids = null;
    /** Processors that stand out and are drawn over the others. @type {Set<number>} */
    this.tall = new Set();
    this.stop = onTheme(() => {
      this.palette.refresh();
      this.repaint();
    });
  }

  /** Takes the stage away. */
  remove() {
    this.stop();
    for (const canvas of [...this.layers, this.messages.canvas]) canvas.remove();
  }

  /**
   * Draws a network, before anything has happened.
   * @param {any} run
   * @param {Layout} layout
   * @param {(place: number) => {id: string, lines: string[]}} label
   */
  build(run, layout, label) {
    this.run = run;
    this.layout = layout;
    this.label = label;
    this.ids = null;
    for (const canvas of this.layers) fitCanvas(canvas, layout);
    this.messages.build(run, layout);
    this.shapes = Array.from({ length: 11 }, (_, state) => {
      const look = glyph(state, radius(state, layout.r));
      return { look, body: new Path2D(look.body), mark: look.mark ? new Path2D(look.mark) : null };
    });
    this.drawn = new Uint8Array(layout.n).fill(255);
    this.bits = new Uint8Array(layout.n).fill(255);
    this.tall.clear();
    this.cut = "";
    this.frame = null;
    this.drawLinks(layout);
  }

  /** Draws magnified from now on. @param {import("./message-layer.js").Magnified} zoom */
  magnify(zoom) {
    const { scale, x, y } = zoom;
    this.zoom = { scale, x, y };
    for (const pen of [this.linkPen, this.nodePen]) magnify(pen, zoom);
    this.messages.magnify(zoom);
    this.repaint();
  }

  /** Everything is drawn again. */
  repaint() {
    if (!this.layout) return;
    const { n, r } = this.layout;
    if (r * this.zoom.scale >= NAMED) this.ids ??= Array.from({ length: n }, (_, place) => this.label?.(place).id ?? "");
    this.drawLinks(this.layout);
    if (this.frame) this.drawCuts(this.frame.cuts);
    wipe(this.nodePen);
    this.drawn.fill(255);
    if (this.frame) this.update(this.frame, this.last);
    if (this.flights) this.drawMessages(this.flights);
  }

  /** @param {Layout} layout */
  drawLinks(layout) {
    const pen = this.linkPen;
    wipe(pen);
    pen.lineJoin = "round";
    pen.beginPath();
    if (layout.ring) {
      for (let place = 0; place < layout.n; place++) pen.lineTo(layout.x[place], layout.y[place]);
      pen.closePath();
    } else if (hasChords(layout)) {
      for (let one = 0; one < layout.n; one++) {
        for (let other = one + 1; other < layout.n; other++) {
          pen.moveTo(layout.x[one], layout.y[one]);
          pen.lineTo(layout.x[other], layout.y[other]);
        }
      }
    }
    const whole = layout.twoWay || layout.half ? Math.max(1.6, layout.r * 0.7) : Math.max(0.6, Math.min(1.6, layout.r * 0.3));
    const wide = Math.min(whole, Math.max(layout.r * 0.2, 1.6 / this.zoom.scale));
    pen.strokeStyle = this.palette.get(layout.ring ? "--column" : "--grid");
    pen.lineWidth = wide;
    pen.stroke();
    if (layout.ring && (layout.twoWay || layout.half)) {
      // Two lanes, or a line with a core where only one message travels at a time.
      pen.strokeStyle = this.palette.get(layout.half ? "--pale" : "--paper");
      pen.lineWidth = wide * (layout.half ? 0.25 : 0.45);
      pen.stroke();
    }
  }

  /** Draws the links that are cut over the others. @param {[number, number][]} cuts */
  drawCuts(cuts) {
    if (cuts.length === 0) return;
    const pen = this.linkPen;
    const { whole, ends, width } = cutPaths(/** @type {Layout} */ (this.layout), cuts);
    pen.strokeStyle = this.palette.get("--paper");
    pen.lineWidth = width;
    pen.stroke(new Path2D(whole));
    pen.strokeStyle = this.palette.get("--pale");
    pen.lineWidth = 1.4;
    pen.setLineDash([4, 3]);
    pen.stroke(new Path2D(ends));
    pen.setLineDash([]);
  }

  /**
   * Draws the processors that differ from what is drawn.
   * @param {import("./engine.js").Frame} frame
   * @param {number | null} last the place of the last move
   */
  update(frame, last) {
    const layout = /** @type {Layout} */ (this.layout);
    this.frame = frame;
    this.last = last ?? -1;
    const { state, bits } = frame;
    const key = cutKey(frame.cuts);
    if (key !== this.cut) {
      this.cut = key;
      this.drawLinks(layout);
      this.drawCuts(frame.cuts);
    }
    const pen = this.nodePen;
    const fresh = this.drawn[0] === 255;
    const reach = radius(3, layout.r) * 2 + 1;
    let tall = false;
    for (let place = 0; place < frame.n; place++) {
      const fault = bits[place] & 3;
      if (state[place] === this.drawn[place] && fault === this.bits[place]) continue;
      if (!fresh) {
        const far = stands(this.drawn[place]) ? reach : layout.r * 1.1 + 1;
        pen.clearRect(layout.x[place] - far, layout.y[place] - far, 2 * far, 2 * far);
        tall ||= stands(this.drawn[place]);
      }
      this.drawn[place] = state[place];
      this.bits[place] = fault;
      if (stands(state[place])) this.tall.add(place);
      else {
        this.tall.delete(place);
        this.drawProcessor(pen, place, layout);
      }
    }
    if (tall) this.redrawAll(layout);
    for (const place of this.tall) this.drawProcessor(pen, place, layout);
  }

  /** Something large was taken away: its neighbours are drawn again. @param {Layout} layout */
  redrawAll(layout) {
    wipe(this.nodePen);
    for (let place = 0; place < layout.n; place++) {
      if (!this.tall.has(place)) this.drawProcessor(this.nodePen, place, layout);
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} place @param {Layout} layout */
  drawProcessor(pen, place, layout) {
    if (!this.shows(layout.x[place], layout.y[place], layout)) return;
    const state = this.drawn[place];
    const { look, body, mark } = this.shapes[state];
    const [x, y] = [layout.x[place], layout.y[place]];
    pen.translate(x, y);
    pen.fillStyle = this.palette.get(look.fill);
    pen.strokeStyle = this.palette.get(look.edge);
    pen.lineWidth = look.line;
    if (stands(state)) {
      pen.globalAlpha = 0.25;
      pen.beginPath();
      pen.arc(0, 0, radius(state, layout.r) * 2, 0, TURN);
      pen.fill();
      pen.globalAlpha = 1;
    }
    if (this.bits[place] & 1) pen.globalAlpha = 0.4;
    pen.setLineDash(look.dashed ? [3, 3] : []);
    pen.fill(body);
    pen.stroke(body);
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    if (mark) pen.stroke(mark);
    if (this.bits[place] !== 0) {
      pen.strokeStyle = this.palette.get("--red");
      pen.lineWidth = Math.max(1, layout.r * 0.2);
      pen.stroke(new Path2D(this.bits[place] & 1 ? cross(layout.r * 0.95) : `M${-layout.r * 0.3} ${-layout.r}V${layout.r}M${layout.r * 0.3} ${-layout.r}V${layout.r}`));
    }
    if (this.ids?.[place]) this.drawName(pen, this.ids[place], look, layout.r);
    pen.translate(-x, -y);
  }

  /** @param {CanvasRenderingContext2D} pen @param {string} id @param {import("./glyphs.js").Glyph} look @param {number} r */
  drawName(pen, id, look, r) {
    const { scale } = this.zoom;
    if (r * scale < NAMED) return;
    // Written at the size at which it is shown: letters are not shaped for less than a pixel.
    pen.scale(1 / scale, 1 / scale);
    pen.fillStyle = this.palette.get(look.text);
    pen.font = `600 ${Math.min(r * 0.8, (r * 2.1) / Math.max(1.6, id.length)) * look.size * scale}px ${this.palette.get("--font")}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(id, 0, 0);
    pen.scale(scale, scale);
  }

  /** Whether something at a point can be seen. @param {number} x @param {number} y @param {Layout} layout */
  shows(x, y, { width, height, r }) {
    const { scale } = this.zoom;
    const [left, top] = [x * scale + this.zoom.x, y * scale + this.zoom.y];
    const far = Math.max(r, 8) * 3 * scale;
    return left > -far && left < width + far && top > -far && top < height + far;
  }

  /**
   * Draws the messages where they are now.
   * @param {Flights} flights
   */
  drawMessages(flights) {
    this.flights = flights;
    const layout = /** @type {Layout} */ (this.layout);
    this.messages.clear();
    this.drawChanged(this.messages.pen, layout);
    this.messages.draw(flights);
    this.drawSelection(this.messages.pen, layout);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Layout} layout */
  drawChanged(pen, layout) {
    if (this.last < 0) return;
    pen.strokeStyle = this.palette.get("--work-0");
    pen.lineWidth = 2 / this.zoom.scale;
    pen.globalAlpha = 0.5;
    pen.beginPath();
    pen.arc(layout.x[this.last], layout.y[this.last], Math.max(6 / this.zoom.scale, layout.r * 1.6), 0, TURN);
    pen.stroke();
    pen.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} pen @param {Layout} layout */
  drawSelection(pen, layout) {
    pen.strokeStyle = this.palette.get("--work-0");
    const { scale } = this.zoom;
    pen.lineWidth = 2.5 / scale;
    pen.setLineDash([4 / scale, 3 / scale]);
    pen.beginPath();
    if (this.chosen !== null && this.chosen !== undefined && this.chosen < layout.n) {
      pen.arc(layout.x[this.chosen], layout.y[this.chosen], Math.max(9 / scale, layout.r * 2), 0, TURN);
    }
    if (this.picked) {
      const far = Math.max(8 / scale, Math.min(8, layout.r));
      pen.moveTo(this.picked.path.x + far, this.picked.path.y);
      pen.arc(this.picked.path.x, this.picked.path.y, far, 0, TURN);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  /** Nothing is kept for a message. */
  release() {}

  /** So many clocks cannot be told apart. */
  drawClocks() {}

  /**
   * Shows what is selected, in the next picture.
   * @param {number | null} processor
   * @param {Flight | undefined} message
   */
  select(processor, message) {
    this.chosen = processor;
    this.picked = message;
  }
}
