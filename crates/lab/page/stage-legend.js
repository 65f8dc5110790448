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
    /** The colours that are explained. */
    this.painted = "";
  }

  /** A run was opened. @param {any} run */
  open(run) {
    this.seen.clear();
    this.painted = "";
    this.states.replaceChildren();
    this.kinds.replaceChildren(...run.kinds.map((/** @type {any} */ kind) => item(arrow(kind), kind.name)));
    const links = run["half-duplex"] ? "half-duplex: one way at a time" : run.topology === "bidirectional-ring" ? "two-way links" : "";
    if (links) this.kinds.append(item(sample(run["half-duplex"] ? "half" : "lanes"), links));
  }

  /** Says what colours mean. @param {{name: string, colour: string}[]} colours */
  paint(colours) {
    const key = colours.map(({ name }) => name).join();
    if (this.painted === key) return;
    this.painted = key;
    this.states.replaceChildren(...colours.map(({ name, colour }) => item(swatch(colour), name)));
  }

  /** Adds the states of a frame that have not occurred before. @param {{state: Uint8Array}} frame */
  update({ state }) {
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
  const made = drawing("-13 -13 26 26", `<path d="M-9-9H9V9H-9Z" style="fill:var(${colour});stroke:var(--pale)"/>`);
  made.setAttribute("class", "shape");
  return made;
}

/** @param {Element} picture @param {string} words */
function item(picture, words) {
  const made = document.createElement("li");
  made.append(picture, words);
  return made;
}

/** @param {string} viewBox @param {string} content */
function drawing(viewBox, content) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("viewBox", viewBox);
  made.setAttribute("aria-hidden", "true");
  made.innerHTML = content;
  return made;
}

/** @param {number} state */
function shape(state) {
  const { body, mark, fill, edge, line, dashed } = glyph(state, 9.5);
  const dash = dashed ? ' stroke-dasharray="2.4 2.4"' : "";
  const styled = `style="fill:var(${fill});stroke:var(${edge})" stroke-width="${line}"${dash}`;
  const marked = mark ? `<path d="${mark}" style="fill:none;stroke:var(${edge})" stroke-width="1.6"/>` : "";
  const made = drawing(state === 3 || state === 7 ? "-17 -17 34 34" : "-13 -13 26 26", `<path d="${body}" ${styled}/>${marked}`);
  made.setAttribute("class", "shape");
  return made;
}

/** @param {any} kind */
function arrow(kind) {
  const colour = kindColour(kind);
  const dashes = kindDashes(kind).map((d) => d * 0.7).join(" ");
  const line = `<path d="M1 5h24" style="fill:none;stroke:${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`;
  const made = drawing("0 0 34 10", `${line}<path d="M33 5l-9 4v-8Z" style="fill:${colour}"/>`);
  made.setAttribute("class", "arrow");
  return made;
}

/** @param {"half" | "lanes"} look */
function sample(look) {
  const lanes = '<path d="M1 3h32M1 7.5h32" style="fill:none;stroke:var(--pale)" stroke-width="1.3"/>';
  const half = '<path d="M1 5h32" style="fill:none;stroke:var(--column)" stroke-width="4"/><path d="M11 2l-4 3 4 3M23 2l4 3-4 3" style="fill:none;stroke:var(--pale)" stroke-width="1.3"/>';
  const made = drawing("0 0 34 10", look === "half" ? half : lanes);
  made.setAttribute("class", "arrow");
  return made;
}
