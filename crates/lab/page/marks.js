/**
 * The markers over a slider: elections, phases, entries, faults, interventions and violations. They are drawn on a canvas, as
 * there may be thousands; where several fall together, the one that matters most is on top.
 */

import { grouped } from "./brief.js";
import { star } from "./glyphs.js";
import { onTheme, Palette } from "./palette.js";

/** @typedef {{move: number, time: number, place: number, kind: string, phase?: number, text: string}} Mark */

/** From what matters least to what matters most. */
const ORDER = ["phase", "entered", "end", "fault", "intervention", "elected", "violation"];
/** The height of the markers above the slider's line. */
const HEIGHT = 22;
/** A marker that is this near to the pointer is meant. */
const NEAR = 7;

const SHAPES = {
  elected: star(8, 3.9),
  entered: "M-3-3H3V3H-3Z",
  fault: "M-4-4L4 4M4-4L-4 4",
  intervention: "M-4.5 0a4.5 4.5 0 1 1 9 0a4.5 4.5 0 1 1-9 0Z",
  violation: "M0-7.5L8 6.5H-8Z",
  end: "M0-6V6",
};

/** What the markers of a kind are called. */
const WORDS = /** @type {Record<string, string>} */ ({ elected: "elected", entered: "enters", fault: "fault", intervention: "intervention", violation: "violation" });

/** Fill and edge of the markers of a kind, as names of theme variables. */
const LOOKS = /** @type {Record<string, [string, string]>} */ ({
  elected: ["--gold", "--leader"], entered: ["--gold", "--ink"], violation: ["--red", "--paper"],
  intervention: ["--paper", "--red"], fault: ["", "--red"], end: ["", "--pale"],
});

/** The markers of a slider. */
export class Marks {
  /**
   * @param {HTMLElement} element the slider
   * @param {any} lab
   */
  constructor(element, lab) {
    this.lab = lab;
    this.element = element;
    this.canvas = document.createElement("canvas");
    this.canvas.className = "marks";
    this.canvas.setAttribute("aria-hidden", "true");
    this.tip = document.createElement("div");
    this.tip.className = "stage-tip";
    this.tip.hidden = true;
    element.append(this.canvas, this.tip);
    /** The kinds that there are; each leads to its next marker. */
    this.legend = document.createElement("ul");
    this.legend.className = "marks-legend";
    this.legend.setAttribute("aria-label", "Markers");
    this.explained = "";
    this.palette = new Palette(element);
    this.shapes = Object.fromEntries(Object.entries(SHAPES).map(([kind, path]) => [kind, new Path2D(path)]));
    /** @type {Mark[]} */
    this.marks = [];
    this.drawn = "";
    this.length = 1;
    this.width = 0;
    new ResizeObserver(([entry]) => {
      this.width = Math.round(entry.contentRect.width);
      this.redraw();
    }).observe(element);
    onTheme(() => {
      this.palette.refresh();
      this.redraw();
    });
  }

  redraw() {
    this.drawn = "";
    this.show(this.length, this.marks, this.moves ?? 0);
  }

  /**
   * Draws the markers, if they are others than before.
   * @param {number} length the number of moves of the slider
   * @param {Mark[]} marks
   * @param {number} moves known so far
   */
  show(length, marks, moves) {
    const { width } = this;
    this.explain(marks);
    const key = `${length} ${marks.length} ${width} ${marks.at(-1)?.move}`;
    this.length = length;
    this.marks = marks;
    this.moves = moves;
    if (key === this.drawn || width === 0) return;
    this.drawn = key;
    const scale = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = HEIGHT * scale;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    for (const kind of ORDER) {
      let last = Number.NEGATIVE_INFINITY;
      for (const mark of marks) {
        const x = this.x(mark, width);
        if (mark.kind !== kind || x - last < (kind === "phase" ? 3 : 2)) continue;
        this.draw(pen, mark, x, x - last > 34);
        last = x;
      }
    }
  }

  /** Says what the markers mean that there are. @param {Mark[]} marks */
  explain(marks) {
    const present = new Set(marks.map(({ kind }) => kind));
    const kinds = [...ORDER].reverse().filter((kind) => kind in WORDS && present.has(kind));
    if (kinds.join() === this.explained) return;
    this.explained = kinds.join();
    this.legend.replaceChildren(...kinds.map((kind) => this.explanation(kind)));
  }

  /** @param {string} kind */
  explanation(kind) {
    const [fill, edge] = LOOKS[kind];
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.title = `To the next marker of this kind`;
    const shape = `<path d="${SHAPES[/** @type {keyof typeof SHAPES} */ (kind)]}" style="fill:${fill ? `var(${fill})` : "none"};stroke:var(${edge})"/>`;
    button.innerHTML = `<svg viewBox="-9 -9 18 18" aria-hidden="true">${shape}</svg>`;
    button.append(WORDS[kind]);
    button.addEventListener("click", () => this.lab.attempt(() => this.toNext(kind)));
    item.append(button);
    return item;
  }

  /** Jumps to the next marker of a kind, behind the last one to the first. @param {string} kind */
  toNext(kind) {
    const all = this.marks.filter((mark) => mark.kind === kind);
    const next = all.find(({ move }) => move > this.lab.position.move) ?? all[0];
    if (!next) return;
    this.lab.pause();
    this.lab.go({ move: next.move });
  }

  /** @param {Mark} mark @param {number} width */
  x(mark, width) {
    return 1 + (mark.move / this.length) * (width - 2);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Mark} mark @param {number} x @param {boolean} roomy */
  draw(pen, mark, x, roomy) {
    const colour = (/** @type {string} */ name) => this.palette.get(name);
    if (mark.kind === "phase") {
      pen.fillStyle = colour("--column");
      pen.fillRect(x - 0.5, HEIGHT - 8, 1, 8);
      if (roomy && mark.phase !== undefined && x < this.width - 16) {
        pen.fillStyle = colour("--pale");
        pen.font = `10px ${colour("--font")}`;
        pen.textAlign = "left";
        pen.fillText(String(mark.phase), x + 3, HEIGHT - 3);
      }
      return;
    }
    const shape = this.shapes[mark.kind];
    if (!shape) return;
    pen.save();
    pen.translate(Math.max(8, Math.min(this.width - 8, x)), HEIGHT / 2);
    const [fill, edge] = LOOKS[mark.kind];
    if (fill) {
      pen.fillStyle = colour(fill);
      pen.fill(shape);
    }
    pen.strokeStyle = colour(edge);
    pen.lineWidth = mark.kind === "entered" || mark.kind === "violation" ? 0.8 : mark.kind === "elected" ? 1 : 2;
    pen.stroke(shape);
    pen.restore();
  }

  /** The marker that the pointer is on. @param {PointerEvent} event @returns {Mark | null} */
  near(event) {
    const box = this.element.getBoundingClientRect();
    if (event.clientY > box.top + HEIGHT) return null;
    /** @type {Mark | null} */
    let best = null;
    let nearest = NEAR;
    for (const mark of this.marks) {
      const far = Math.abs(this.x(mark, box.width) - (event.clientX - box.left));
      const more = best && far === nearest && ORDER.indexOf(mark.kind) > ORDER.indexOf(best.kind);
      if (far < nearest || more) [best, nearest] = [mark, far];
    }
    return best;
  }

  /** Says what the pointer is on. @param {PointerEvent} event @param {number} move */
  hover(event, move) {
    if (event.pointerType === "touch" || !this.lab.run) return this.hide();
    const mark = this.near(event);
    const box = this.element.getBoundingClientRect();
    this.tip.textContent = mark ? mark.text : `event ${grouped(move)}`;
    this.tip.hidden = false;
    const x = event.clientX - box.left - this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.max(0, Math.min(box.width - this.tip.offsetWidth, x))}px`;
    this.tip.style.top = "-30px";
  }

  hide() {
    this.tip.hidden = true;
  }
}
