/** What the stage says in the middle of a ring, or in a corner: the time, the messages, and how it stands. */

import { grouped } from "./brief.js";
import { say } from "./dom.js";

/** The dial of a stage. */
export class Dial {
  /** @param {HTMLElement} view */
  constructor(view) {
    this.element = document.createElement("div");
    this.element.className = "dial";
    const line = (/** @type {string} */ name) => {
      const made = document.createElement("p");
      made.className = name;
      this.element.append(made);
      return made;
    };
    this.time = line("dial-time");
    this.unit = line("dial-unit");
    this.count = line("dial-count");
    this.status = line("dial-status");
    this.bars = document.createElement("div");
    this.bars.className = "dial-bars";
    this.element.append(this.bars);
    view.append(this.element);
    this.shown = -1;
  }

  /**
   * Finds a place for the dial.
   * @param {number} hole the radius of the free middle
   * @param {{cx: number, cy: number, width: number}} layout
   * @param {boolean} overview bars are shown, too
   */
  place(hole, layout, overview) {
    // The bars of an overview stand in the middle, or where the corner has room for them.
    const beside = overview && layout.width / 2 - hole * 1.5 > 300;
    const middle = !beside && hole >= 40;
    this.element.classList.toggle("middle", middle);
    this.element.classList.toggle("large", middle && hole > 150);
    this.element.classList.toggle("bare", overview && middle && hole < 165);
    this.element.classList.toggle("tight", middle ? hole < 62 : layout.width < 520);
    this.element.style.left = middle ? `${layout.cx}px` : "";
    this.element.style.top = middle ? `${layout.cy}px` : "";
    this.element.style.maxWidth = middle ? `${Math.floor(hole * 1.7)}px` : "";
  }

  /** The time that is shown, between moves too. @param {number} now @param {any} lab */
  now(now, lab) {
    const shown = lab.run.untimed ? lab.position.move : Math.floor(now);
    if (shown === this.shown) return;
    this.shown = shown;
    say(this.time, grouped(shown));
  }

  /**
   * Says how the run stands.
   * @param {any} lab
   * @param {import("./stage-overview.js").OverviewStage | null} overview
   */
  update(lab, overview) {
    const { run, position } = lab;
    this.now(lab.now ?? position.time, lab);
    say(this.unit, run.untimed ? (position.move === 1 ? "action" : "actions") : "time");
    say(this.count, `${grouped(position.messages)} ${position.messages === 1 ? "message" : "messages"}`);
    const [words, tone] = standing(lab);
    say(this.status, words);
    this.status.dataset.tone = tone;
    this.bars.hidden = overview === null;
    if (overview) this.fillBars(lab, overview);
  }

  /** @param {any} lab @param {import("./stage-overview.js").OverviewStage} overview */
  fillBars(lab, overview) {
    const phases = lab.run.phased ? lab.attempt(() => lab.request("rail"))?.phases ?? [] : [];
    const { title, rows } = overview.rows(phases);
    const most = Math.max(1, ...rows.map(({ count }) => count));
    const heading = document.createElement("p");
    heading.textContent = title;
    this.bars.replaceChildren(heading, ...rows.map(({ name, count, colour }) => bar(name, count, count / most, colour)));
  }
}

/** @param {string} name @param {number} count @param {number} share @param {string} colour */
function bar(name, count, share, colour) {
  const [row, label, track, fill, value] = ["p", "span", "span", "i", "b"].map((tag) => document.createElement(tag));
  label.textContent = name;
  fill.style.width = `${Math.max(1, share * 100)}%`;
  fill.style.background = `var(${colour})`;
  value.textContent = grouped(count);
  track.append(fill);
  row.append(label, track, value);
  return row;
}

/** Who is inside. @param {number} inside @param {Uint8Array} state */
function insideWords(inside, state) {
  const [readers, writers] = [8, 9].map((what) => state.reduce((count, one) => count + Number(one === what), 0));
  const words = [readers > 0 && `${readers} reading`, writers > 0 && `${writers} writing`].filter(Boolean).join(", ");
  return words || (inside === 1 ? "one inside" : `${inside} inside`);
}

/** How a run stands, in a few words, and how they are to be shown. @param {any} lab @returns {[string, string]} */
function standing(lab) {
  const { run, position, frame } = lab;
  if (position.violations > 0) return [position.violations === 1 ? "a violation" : `${position.violations} violations`, "violated"];
  if (position.leaders === 1) {
    const place = frame.state.indexOf(3);
    const id = run.ids?.[place];
    return [place < 0 ? "a leader is elected" : id === undefined || id === null ? `leader: place ${place}` : `leader: id ${id}`, "leader"];
  }
  if (position.leaders > 1) return [`${position.leaders} leaders`, "violated"];
  if (position.inside > 0) return [insideWords(position.inside, frame.state), "inside"];
  if (run.problem === "election") return [position.over ? "no leader" : "no leader yet", "open"];
  if (run.problem === "token-ring") return [position.over ? "over" : "", "open"];
  return [position.over ? "over" : "nobody inside", "open"];
}
