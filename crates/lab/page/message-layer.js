/**
 * Many messages on a canvas of their own: drawn anew for each picture, one path for each kind.
 */

import { STAGE } from "./flights.js";
import { kindDashes } from "./palette.js";

/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./flights.js").Flights} Flights */
/** @typedef {import("./flights.js").Flight} Flight */

const TURN = 2 * Math.PI;
/** More messages of a kind have no trails. */
const MOST_TRAILS = 400;
/** More messages across a complete network are drawn as specks. */
const MOST_DOTS = 2000;

/**
 * Makes a canvas fill a layout, at the resolution of the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {Layout} layout
 */
export function fitCanvas(canvas, layout) {
  const scale = Math.min(2, devicePixelRatio || 1);
  canvas.width = Math.round(layout.width * scale);
  canvas.height = Math.round(layout.height * scale);
  canvas.getContext("2d")?.setTransform(scale, 0, 0, scale, 0, 0);
}

/** @typedef {{scale: number, x: number, y: number}} Magnified how a drawing is shown: a point p at scale · p + (x, y) */
/** @type {Magnified} */
export const WHOLE = { scale: 1, x: 0, y: 0 };

/**
 * Draws magnified from now on.
 * @param {CanvasRenderingContext2D} pen
 * @param {Magnified} zoom
 */
export function magnify(pen, { scale, x, y }) {
  const dots = Math.min(2, devicePixelRatio || 1);
  pen.setTransform(dots * scale, 0, 0, dots * scale, dots * x, dots * y);
}

/** Takes everything off a canvas. @param {CanvasRenderingContext2D} pen */
export function wipe(pen) {
  pen.save();
  pen.resetTransform();
  pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
  pen.restore();
}

/** The messages of a stage. */
export class MessageLayer {
  /**
   * @param {HTMLElement} element
   * @param {import("./palette.js").Palette} palette
   */
  constructor(element, palette) {
    this.palette = palette;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "stage-canvas";
    this.canvas.setAttribute("aria-hidden", "true");
    element.append(this.canvas);
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    /** The messages of each kind, sorted anew for each picture. @type {Flight[][]} */
    this.byKind = [];
    this.empty = true;
    this.scale = 1;
  }

  /** @param {any} run @param {Layout} layout */
  build(run, layout) {
    this.run = run;
    this.layout = layout;
    this.byKind = run.kinds.map(() => []);
    fitCanvas(this.canvas, layout);
    this.empty = true;
  }

  /** Draws magnified from now on. @param {Magnified} zoom */
  magnify(zoom) {
    this.clear();
    this.scale = zoom.scale;
    magnify(this.pen, zoom);
  }

  /** Takes all messages away. */
  clear() {
    if (!this.empty) wipe(this.pen);
    this.empty = true;
  }

  /**
   * Draws the messages where they are now, over what is drawn already.
   * @param {Flights} flights
   */
  draw(flights) {
    const { pen, layout, run } = this;
    if (!layout) return;
    this.empty = false;
    for (const list of this.byKind) list.length = 0;
    for (const flight of flights.list) this.byKind[flight.kind]?.push(flight);
    const whole = flights.list.length > MOST_DOTS && !layout.ring ? 1.2 : Math.max(1.1, Math.min(4, layout.r * 0.5));
    // Magnified, a message does not hide the processors beside it.
    const size = Math.min(whole, Math.max(layout.r * 0.24, 3.2 / this.scale));
    this.byKind.forEach((list, kind) => {
      if (list.length === 0) return;
      const colour = this.palette.kind(run.kinds[kind]);
      if (!layout.ring && list.length <= MOST_TRAILS) this.drawTrails(pen, list, colour, kindDashes(run.kinds[kind]));
      this.drawDots(pen, list, colour, size);
    });
    this.drawCopies(pen, flights, size);
    this.drawMeddled(pen, flights, layout);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Flight[]} list @param {string} colour @param {number[]} dashes */
  drawTrails(pen, list, colour, dashes) {
    pen.strokeStyle = colour;
    pen.globalAlpha = 0.3;
    pen.lineWidth = 1;
    pen.setLineDash(dashes);
    pen.beginPath();
    for (const { path, shown } of list) {
      path.at(shown);
      pen.moveTo(path.a, path.b);
      pen.quadraticCurveTo(path.a + (path.c - path.a) * shown, path.b + (path.d - path.b) * shown, path.x, path.y);
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} pen @param {Flight[]} list @param {string} colour @param {number} size */
  drawDots(pen, list, colour, size) {
    pen.fillStyle = colour;
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(0.6 / this.scale, size * 0.4);
    const squares = size * this.scale < 1.8;
    pen.beginPath();
    for (const { path, shown, stage } of list) {
      path.at(shown);
      if (stage > STAGE.TRAVELLING) continue;
      const { x, y, dx, dy } = path;
      if (squares) {
        pen.rect(x - size, y - size, 2 * size, 2 * size);
        continue;
      }
      // A head that points where it goes.
      const [back, side] = [size * 1.1, size * 1.05];
      pen.moveTo(x + dx * size * 1.6, y + dy * size * 1.6);
      pen.lineTo(x - dx * back - dy * side, y - dy * back + dx * side);
      pen.lineTo(x - dx * back + dy * side, y - dy * back - dx * side);
      // closePath is slow in a long path.
      pen.lineTo(x + dx * size * 1.6, y + dy * size * 1.6);
    }
    if (!squares) {
      pen.strokeStyle = this.palette.get("--paper");
      pen.stroke();
      pen.strokeStyle = colour;
    }
    pen.fill();
    // Those that wait are hollow.
    pen.beginPath();
    for (const { path, stage } of list) {
      if (stage > STAGE.TRAVELLING) pen.rect(path.x - size * 0.8, path.y - size * 0.8, size * 1.6, size * 1.6);
    }
    pen.stroke();
  }

  /** Copies have a hole. @param {CanvasRenderingContext2D} pen @param {Flights} flights @param {number} size */
  drawCopies(pen, flights, size) {
    pen.fillStyle = this.palette.get("--paper");
    pen.beginPath();
    for (const { copy, path } of flights.list) {
      if (!copy) continue;
      pen.moveTo(path.x + size * 0.5, path.y);
      pen.arc(path.x, path.y, size * 0.5, 0, TURN);
    }
    pen.fill();
  }

  /** @param {CanvasRenderingContext2D} pen @param {Flights} flights @param {Layout} layout */
  drawMeddled(pen, flights, layout) {
    pen.strokeStyle = this.palette.get("--red");
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (const { intervened, path } of flights.list) {
      if (!intervened) continue;
      const far = Math.max(5, layout.r);
      pen.moveTo(path.x + far, path.y);
      pen.arc(path.x, path.y, far, 0, TURN);
    }
    pen.stroke();
  }
}
