/**
 * The tour: six stops, each with a question before the run is played, and with what the run shows as it goes on.
 */

import { fill, freshId, h, number, sidePanel } from "./dom.js";
import { STOPS } from "./tour-stops.js";

/** @typedef {import("./app.js").Lab} Lab */
/** @typedef {import("./tour-stops.js").Stop} Stop */
/** @typedef {import("./tour-stops.js").Facts} Facts */
/** @typedef {import("./tour-stops.js").Row} Row */

/** The state of a leader in frames. */
const LEADER = 3;

/**
 * What the engine says about the run at this moment.
 * @param {Lab} lab
 * @returns {Facts}
 */
function factsOf(lab) {
  const rail = lab.request("rail");
  const place = lab.frame.state.indexOf(LEADER);
  return {
    n: lab.run.n,
    position: lab.position,
    phases: rail.phases ?? [],
    leader: place < 0 ? null : { place, id: lab.run.ids?.[place] ?? null },
    value: (quantity) => {
      const named = (/** @type {any} */ line) => line.quantity === quantity;
      return rail.measured.find(named)?.value ?? rail.bounds.find(named)?.measured ?? null;
    },
    bound: (quantity, formula) =>
      rail.bounds.find((/** @type {any} */ line) => line.quantity === quantity && line.formula === formula) ?? null,
  };
}

/**
 * What a report of `run --json` says about a quantity.
 * @param {any} report
 * @param {string} quantity "inside", or a group of messages
 * @returns {number | null}
 */
function reported(report, quantity) {
  return quantity === "inside" ? report.outcome.overlap_max : (report.cost.messages[quantity] ?? null);
}

/** The tour, in its element. */
export class Tour {
  /**
   * @param {HTMLElement} element
   * @param {Lab} lab
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    this.index = 0;
    /** @type {(number | null)[]} the answer given at each stop */
    this.given = STOPS.map(() => null);
    /** @type {(boolean | null)[]} whether it was right, where the run has shown it */
    this.right = STOPS.map(() => null);
    /** @type {number | null} the session of the stop's run */
    this.session = null;
    this.waiting = 0;
    this.panel = sidePanel(element, lab, "tour", () => {
      this.session = null;
      lab.pause();
    });
    lab.addEventListener("opened", () => this.opened());
    for (const type of ["moved", "playing"]) lab.addEventListener(type, () => this.later());
  }

  get stop() {
    return STOPS[this.index];
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /**
   * Shows the tour.
   * @param {number} [index] the stop to begin at
   */
  open(index = this.index) {
    this.panel.open();
    this.show(index);
  }

  /** Ends the tour; the run stays. */
  close() {
    this.panel.close();
  }

  /** Ends the tour where a user has opened another run. */
  opened() {
    if (this.isOpen && this.session !== null && this.lab.session !== this.session) this.close();
  }

  /** @param {number} index */
  show(index) {
    this.index = Math.max(0, Math.min(STOPS.length - 1, index));
    this.session = null;
    this.lab.attempt(() => {
      this.lab.open({ line: this.stop.line });
      this.session = this.lab.session;
      this.lab.setSpeed(this.stop.speed);
    });
    this.build();
    this.element.querySelector("h2")?.focus({ preventScroll: false });
  }

  /** Builds the stop: scene, question, and room for what the run shows. */
  build() {
    const { stop, index } = this;
    this.facts = h("div", { class: "teach-facts", hidden: true });
    this.told = h("div", { class: "teach-told", role: "status" });
    const name = freshId("answer");
    const choices = stop.answers.map((answer, i) =>
      h("label", { class: "teach-answer" },
        h("input", { type: "radio", name, value: i, required: true, ...(this.given[index] === i && { checked: true }) }),
        h("span", {}, answer.text)));
    this.form = h("form", { class: "teach-question", onsubmit: (/** @type {Event} */ event) => this.answered(event) },
      h("fieldset", {}, h("legend", {}, stop.question), choices),
      h("button", { type: "submit", class: "btn primary" }, "Answer, and watch"));
    this.controls = h("div", { class: "teach-controls", hidden: true },
      (this.playing = h("button", { type: "button", class: "btn", onclick: () => this.lab.toggle() }, "Pause")),
      h("button", { type: "button", class: "btn", onclick: () => this.finish() }, "To the end"),
      h("button", { type: "button", class: "btn", onclick: () => this.watch() }, "Again"));
    const last = index === STOPS.length - 1;
    fill(this.element,
      h("header", { class: "teach-head" },
        h("p", { class: "teach-where" }, `Tour, stop ${index + 1} of ${STOPS.length}`),
        h("button", { type: "button", class: "btn icon teach-close", "aria-label": "End the tour", onclick: () => this.close() }, "×")),
      this.progress(),
      h("h2", { tabindex: -1 }, stop.title),
      stop.scene.map((text) => h("p", {}, text)),
      this.form, this.controls, this.facts, this.told,
      h("nav", { class: "teach-nav", "aria-label": "Stops" },
        h("button", { type: "button", class: "btn", disabled: index === 0, onclick: () => this.show(index - 1) }, "Back"),
        h("button", {
          type: "button", class: "btn teach-next", onclick: () => (last ? this.close() : this.show(index + 1)),
        }, last ? "End the tour" : `Next: ${STOPS[index + 1].title}`)));
  }

  /** The stops as a list of buttons. */
  progress() {
    return h("ol", { class: "teach-progress" }, STOPS.map((stop, i) => {
      const right = this.right[i];
      const state = right === null ? "open" : right ? "right" : "wrong";
      const words = right === null ? "" : right ? ", answered rightly" : ", answered wrongly";
      return h("li", {}, h("button", {
        type: "button", class: "teach-dot", "data-state": state, "aria-label": `${i + 1}. ${stop.title}${words}`,
        title: stop.title, ...(i === this.index && { "aria-current": "step" }), onclick: () => this.show(i),
      }, right === null ? String(i + 1) : right ? "✓" : "✗"));
    }));
  }

  /** @param {Event} event */
  answered(event) {
    event.preventDefault();
    const chosen = this.form.querySelector("input:checked");
    if (!chosen) return;
    this.given[this.index] = Number(chosen.value);
    this.right[this.index] = null;
    this.form.querySelector("fieldset").disabled = true;
    this.form.querySelector("[type=submit]").hidden = true;
    this.controls.hidden = this.facts.hidden = false;
    this.watch();
    this.playing.focus();
  }

  /** Plays the run from its beginning. */
  watch() {
    fill(this.told);
    this.lab.attempt(() => {
      this.lab.go("start");
      this.lab.play();
    });
    this.update();
  }

  /** Goes to where the run shows the answer. */
  finish() {
    this.lab.pause();
    this.lab.attempt(() => {
      const found = this.lab.ahead.marks.find((mark) => mark.kind === "violation");
      this.lab.go(found ? { move: found.move } : "end");
    });
  }

  /** Updates once an animation frame. */
  later() {
    if (!this.isOpen || this.session === null || this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.isOpen && this.lab.session === this.session) this.lab.attempt(() => this.update());
    });
  }

  /** Shows the numbers of this moment, and what they mean once the run has shown the answer. */
  update() {
    if (this.given[this.index] === null) return;
    this.playing.textContent = this.lab.playing ? "Pause" : "Play";
    const facts = factsOf(this.lab);
    fill(this.facts, this.table(facts), this.stop.rounds && this.rounds(facts));
    if (!this.stop.settled(facts)) return;
    if (facts.position.violations > 0 && this.lab.playing) this.lab.pause();
    if (!this.told.childElementCount) this.tell(facts);
  }

  /** @param {Facts} facts */
  table(facts) {
    const line = (/** @type {Row} */ row) => {
      const share = row.measured === null || !row.proved ? 0 : row.measured / row.proved;
      const exceeded = row.relation === "≤" && share > 1;
      const bar = h("span", { class: "teach-bar", "aria-hidden": "true" }, h("span", {
        class: "teach-fill", "data-exceeded": exceeded, style: `width: ${Math.min(100, share * 100).toFixed(1)}%`,
      }));
      const formula = row.formula && row.formula !== String(row.proved) ? ` = ${row.formula}` : "";
      return h("tr", { "data-exceeded": exceeded },
        h("th", { scope: "row" }, row.label, bar),
        h("td", { class: "num" }, number(row.measured)),
        h("td", {}, row.proved === null ? "" : [`${row.relation} `, h("strong", {}, number(row.proved)), formula,
          row.source && h("small", {}, ` (${row.source})`)]));
    };
    return h("table", { class: "teach-table" },
      h("caption", { class: "visually-hidden" }, "Measured so far, and proved"),
      h("thead", {}, h("tr", {}, ["quantity", "measured", "proved"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, this.stop.rows(facts).map(line)));
  }

  /** @param {Facts} facts */
  rounds(facts) {
    return h("table", { class: "teach-table" },
      h("thead", {}, h("tr", {}, ["round", "active", "messages"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, facts.phases.map((phase) => h("tr", {},
        h("th", { scope: "row" }, number(phase.phase)),
        h("td", { class: "num" }, number(phase.candidates)),
        h("td", { class: "num" }, number(phase.messages))))));
  }

  /** @param {Facts} facts */
  tell(facts) {
    const { stop, index } = this;
    const answer = stop.answers[this.given[index] ?? 0];
    const right = answer.right(facts);
    this.right[index] = right;
    const truth = stop.answers.find((one) => one.right(facts));
    fill(this.told,
      h("p", { class: "teach-verdict", "data-right": String(right) },
        right ? "✓ Right." : `✗ Not quite. It is: ${truth?.text ?? "another number"}.`),
      stop.why(facts).map((text) => h("p", {}, text)),
      this.others(), index === STOPS.length - 1 && this.ending());
    this.element.querySelector(".teach-progress")?.replaceWith(this.progress());
    this.told.scrollIntoView({ block: "nearest" });
  }

  /** Other runs, measured now. */
  others() {
    const { others } = this.stop;
    if (!others) return null;
    const measured = others.runs.map(({ label, line }) => ({ label, value: this.measure(line, others.quantity) }));
    return h("table", { class: "teach-table" },
      h("caption", {}, others.title),
      h("tbody", {}, measured.map(({ label, value }) =>
        h("tr", {}, h("th", { scope: "row" }, label), h("td", { class: "num" }, number(value))))));
  }

  /**
   * Runs another scenario to its end.
   * @param {string} line
   * @param {string} quantity
   * @returns {number | null}
   */
  measure(line, quantity) {
    const { engine } = this.lab;
    const { session } = engine.request("open", { line });
    const value = reported(engine.request("report", { session }), quantity);
    engine.request("close", { session });
    return value;
  }

  ending() {
    const right = this.right.filter((one) => one === true).length;
    const asked = this.right.filter((one) => one !== null).length;
    return h("p", { class: "teach-ending" },
      `Right answers: ${right} of ${asked}. Go on with a run of your own: choose one, take its quiz, or break it.`);
  }
}
