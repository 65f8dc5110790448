/** The legend of a stage: the kinds of messages, and the states that have occurred. */

import { glyph } from "./glyphs.js";
import { kindColour, kindDashes, STATE_WORDS } from "./palette.js";

const SVG = "http://www.w3.org/2000/svg";

/** The legend of a stage. */
export class Legend {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.kinds = document.createElement("ul");
    this.states = document.createElement("ul");
    this.kinds.setAttribute("aria-label", "Kinds of messages");
    this.states.setAttribute("aria-label", "States of processors");
    element.append(this.states, this.kinds);
    this.seen = new Set();
    /** What else is explained. @type {Set<string>} */
    this.told = new Set();
    /** The colours that are explained. */
    this.painted = "";
  }

  /** A run was opened. @param {any} run */
  open(run) {
    this.seen.clear();
    this.painted = "";
    this.told = new Set();
    this.states.replaceChildren();
    this.kinds.replaceChildren(...run.kinds.map((/** @type {any} */ kind) => item(arrow(kind), kind.name)));
    const links = run["half-duplex"] ? "half-duplex: one way at a time" : run.topology === "bidirectional-ring" ? "two-way links" : "";
    if (links) this.kinds.append(item(sample(run["half-duplex"] ? "half" : "lanes"), links));
  }

  /** An overview draws messages as bars, whatever their kind. */
  showBars() {
    this.kinds.replaceChildren(item(drawing("0 0 34 10", '<path d="M6 10V4M11 10V1M16 10V6M21 10V2M26 10V5" style="stroke:var(--work-0)" stroke-width="3"/>', "arrow"), "messages on their way"));
  }

  /** Says what colours mean. @param {{name: string, colour: string}[]} colours */
  paint(colours) {
    const key = colours.map(({ name }) => name).join();
    if (this.painted === key) return;
    this.painted = key;
    this.states.replaceChildren(...colours.map(({ name, colour }) => item(swatch(colour), name)));
  }

  /** Explains what occurs for the first time. @param {"cut" | "copy"} look @param {string} words */
  tell(look, words) {
    if (this.told.has(look)) return;
    this.told.add(look);
    this.kinds.append(item(sample(look), words));
  }

  /** Adds what has not occurred before in a frame. @param {import("./engine.js").Frame} frame */
  update({ state, cuts, messages }) {
    if (cuts.length > 0) this.tell("cut", "link that is cut");
    if (!this.told.has("copy") && messages.some(({ copy }) => copy)) this.tell("copy", "copy of a message");
    let added = false;
    for (let place = 0; place < state.length && this.seen.size < 11; place++) {
      if (this.seen.has(state[place])) continue;
      this.seen.add(state[place]);
      added = true;
    }
    if (added) this.states.replaceChildren(...[...this.seen].sort((a, b) => a - b).map((one) => item(shape(one), STATE_WORDS[one])));
  }
}

/** @param {string} colour */
function swatch(colour) {
  return drawing("-13 -13 26 26", `<path d="M-9-9H9V9H-9Z" style="fill:var(${colour});stroke:var(--pale)"/>`, "shape");
}

/** @param {Element} picture @param {string} words */
function item(picture, words) {
  const made = document.createElement("li");
  made.append(picture, words);
  return made;
}

/** @param {string} viewBox @param {string} content @param {"shape" | "arrow"} name */
function drawing(viewBox, content, name) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", viewBox);
  made.setAttribute("aria-hidden", "true");
  made.setAttribute("class", name);
  made.innerHTML = content;
  return made;
}

/** @param {number} state */
function shape(state) {
  const { body, mark, fill, edge, line, dashed } = glyph(state, 9.5);
  const dash = dashed ? ' stroke-dasharray="2.4 2.4"' : "";
  const styled = `style="fill:var(${fill});stroke:var(${edge})" stroke-width="${line}"${dash}`;
  const marked = mark ? `<path d="${mark}" style="fill:none;stroke:var(${edge})" stroke-width="1.6"/>` : "";
  return drawing(state === 3 || state === 7 ? "-17 -17 34 34" : "-13 -13 26 26", `<path d="${body}" ${styled}/>${marked}`, "shape");
}

/** @param {any} kind */
function arrow(kind) {
  const colour = kindColour(kind);
  const dashes = kindDashes(kind).map((d) => d * 0.7).join(" ");
  const line = `<path d="M1 5h24" style="fill:none;stroke:${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`;
  return drawing("0 0 34 10", `${line}<path d="M33 5l-9 4v-8Z" style="fill:${colour}"/>`, "arrow");
}

/** @param {"half" | "lanes" | "cut" | "copy"} look */
function sample(look) {
  const lanes = '<path d="M1 3h32M1 7.5h32" style="fill:none;stroke:var(--pale)" stroke-width="1.3"/>';
  const half = '<path d="M1 5h32" style="fill:none;stroke:var(--column)" stroke-width="4"/><path d="M11 2l-4 3 4 3M23 2l4 3-4 3" style="fill:none;stroke:var(--pale)" stroke-width="1.3"/>';
  const cut = '<path d="M1 5h11M22 5h11" style="fill:none;stroke:var(--pale)" stroke-width="1.6" stroke-dasharray="4 3"/>';
  const copy = '<path d="M25 5l-12 4.500v-9ZM15.500 5a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0Z" style="fill:var(--paper);stroke:var(--ink)"/>';
  return drawing("0 0 34 10", { half, lanes, cut, copy }[look], "arrow");
}
