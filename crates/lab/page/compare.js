/**
 * Two runs beside each other with one scrubber: two protocols, two settings, or printed rules against repaired ones, aligned
 * by time, by phase or by messages.
 */

import { Lab, on } from "./app.js";
import { readLine, writeLine } from "./command-line.js";
import { fill, freshId, h, number, soon } from "./dom.js";
import { errorSentences } from "./engine.js";
import { stepText } from "./headline.js";
import { quantityWords } from "./rail.js";
import { Stage } from "./stage.js";

/** How runs are aligned: the key of a moment, and what people call it. */
const ALIGNMENTS = [
  ["time", "time"],
  ["phase", "phase"],
  ["message", "messages"],
];

/** How long it takes to play from the beginning to the end, in milliseconds. */
const PLAY_TIME = 24_000;

/** One of the two runs. */
class Side {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {string} title
   * @param {(side: Side) => void} opened
   */
  constructor(engine, title, opened) {
    this.lab = new Lab(engine);
    this.ends = { time: 0, phase: 0, message: 0 };
    this.last = 0;
    /** @type {Map<number, number>} the messages sent up to some moves */
    this.sent = new Map();
    const id = freshId("side");
    this.input = h("input", { id, type: "text", class: "mono", spellcheck: "false", autocomplete: "off" });
    this.wrong = h("p", { class: "wrong", role: "status" });
    this.words = h("p", { class: "now" });
    const stage = h("div", { class: "compare-stage" });
    this.element = h(
      "article",
      { class: "side-run", "aria-label": title },
      h("form", { class: "terminal", onsubmit: (/** @type {Event} */ event) => this.submitted(event) }, h("span", { class: "prompt", "aria-hidden": "true" }, "$"), h("label", { for: id, class: "visually-hidden" }, `Command line, ${title}`), this.input, h("button", { type: "submit", class: "btn small" }, "Run")),
      this.wrong,
      stage,
      this.words,
    );
    this.opened = opened;
    this.stage = new Stage(stage, this.lab);
    on(this.lab, "failed", ({ detail }) => fill(this.wrong, errorSentences(detail).join(" ")));
    on(this.lab, "moved", soon(() => this.moved()));
  }

  /** @param {Event} event */
  submitted(event) {
    event.preventDefault();
    this.open(this.input.value);
  }

  /**
   * Opens a line, and plays it to its end once, to know where that is.
   * @param {string} line
   */
  open(line) {
    const { lab } = this;
    this.input.value = line;
    lab.attempt(() => {
      lab.open({ line });
      fill(this.wrong);
      this.sent.clear();
      lab.go("end");
      const { move, time, phases, messages } = lab.position;
      this.last = move;
      this.ends = { time, phase: phases, message: messages };
      this.end = lab.request("rail");
      lab.go("start");
      this.input.value = lab.run.line;
      this.opened(this);
    });
  }

  /**
   * The move that sends a message: its number is found between moves whose messages are known.
   * @param {number} message
   */
  moveOf(message) {
    const { lab } = this;
    let [before, at] = [0, this.last];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      let sent = this.sent.get(middle);
      if (sent === undefined) {
        sent = /** @type {number} */ (lab.request("go", { to: { move: middle } }).messages);
        this.sent.set(middle, sent);
      }
      if (sent < message) before = middle;
      else at = middle;
    }
    return at;
  }

  moved() {
    const { position, run } = this.lab;
    if (this.lab.session === null) return;
    fill(
      this.words,
      h("span", { class: "when" }, `${run.untimed ? "action" : "time"} ${number(position.time)}`),
      h("span", { class: "what" }, position.step === null ? "Before the first step." : stepText(position.step)),
    );
  }

  close() {
    if (this.lab.session !== null) this.lab.close();
  }
}

/** The view that compares two runs. */
export class Compare {
  /**
   * @param {HTMLElement} element
   * @param {import("./app.js").Lab} lab whose run is the one on the left
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    this.built = false;
    this.playing = false;
    this.alignment = "time";
  }

  /** Whether it is shown. */
  get shown() {
    return !this.element.hidden;
  }

  build() {
    const { engine } = this.lab;
    const ready = () => this.measure();
    this.left = new Side(engine, "on the left", ready);
    this.right = new Side(engine, "on the right", ready);
    const id = freshId("compare");
    this.slider = h("input", { id, type: "range", min: 0, max: 1, step: "any", value: 0 });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.align();
    });
    this.where = h("output", { for: id });
    this.button = h("button", { type: "button", class: "btn primary", onclick: () => this.toggle() }, "Play");
    this.other = h("select", { "aria-label": "Compare with" });
    this.other.addEventListener("change", () => {
      if (this.other.value) this.right?.open(this.other.value);
    });
    this.table = h("div", { class: "compare-table", tabindex: 0, role: "region", "aria-label": "Cost of both runs" });
    const choices = ALIGNMENTS.map(([name, words]) => h("button", { type: "button", "aria-pressed": String(name === this.alignment), onclick: () => this.setAlignment(name) }, words));
    this.choices = choices;
    fill(
      this.element,
      h("header", {}, h("h2", {}, "Compare"), h("label", { class: "with" }, "with ", this.other), h("button", { type: "button", class: "btn", onclick: () => this.hide() }, "Back to one run")),
      h("div", { class: "sides" }, this.left.element, this.right.element),
      h("div", { class: "compare-time" }, this.button, h("label", { for: id, class: "visually-hidden" }, "Moment of both runs"), this.slider, this.where, h("span", { class: "seg", role: "group", "aria-label": "Align by" }, choices)),
      this.table,
    );
    const update = soon(() => this.showTable(), () => (this.playing ? 120 : 0));
    on(this.left.lab, "moved", update);
    on(this.right.lab, "moved", update);
    this.built = true;
  }

  /** Shows the present run beside another. */
  show() {
    const { lab } = this;
    if (lab.session === null) return;
    lab.pause();
    lab.attempt(() => {
      this.element.hidden = false;
      document.documentElement.dataset.mode = "compare";
      if (!this.built) this.build();
      const others = this.suggestions();
      fill(this.other, h("option", { value: "" }, "another command line"), others.map(([words, line], index) => h("option", { value: line, selected: index === 0 }, words)));
      this.left?.open(lab.run.line);
      this.right?.open(others[0][1]);
      this.button.focus();
    });
  }

  hide() {
    this.stop();
    this.left?.close();
    this.right?.close();
    this.element.hidden = true;
    delete document.documentElement.dataset.mode;
  }

  /**
   * What the present run is worth comparing with.
   * @returns {[string, string][]}
   */
  suggestions() {
    const said = readLine(this.lab.run.line);
    const { protocols } = this.lab.engine.catalogue();
    const own = protocols.find((/** @type {any} */ one) => one.name === said.protocol);
    const but = (/** @type {Record<string, string[]>} */ changes) => writeLine("run", { ...said, options: new Map([...said.options, ...Object.entries(changes)]) });
    /** @type {[string, string][]} */
    const lines = [];
    const settings = said.options.get("set") ?? [];
    if (own?.["has-printed"]) {
      const others = settings.filter((setting) => !setting.startsWith("rules=") && !setting.startsWith("printed="));
      const printed = settings.length !== others.length;
      lines.push(printed ? ["the repaired rules", but({ set: others })] : ["the printed rules", but({ set: [...others, "rules=printed"] })]);
    }
    const seed = Number(said.options.get("seed")?.[0] ?? 1);
    lines.push(["the same with another seed", but({ seed: [String(seed + 1)] })]);
    if (own?.problem === "election" && !said.options.has("ids")) lines.push(["identities in descending order", but({ order: ["descending"] })]);
    const kept = new Map([...said.options].filter(([name]) => ["n", "ids", "seed", "order"].includes(name)));
    for (const protocol of protocols) {
      if (protocol.problem === own?.problem && protocol.name !== own.name) lines.push([protocol.name, writeLine("run", { protocol: protocol.name, options: kept })]);
    }
    return lines;
  }

  /** @param {string} alignment */
  setAlignment(alignment) {
    this.alignment = alignment;
    for (const [index, [name]] of ALIGNMENTS.entries()) this.choices?.[index].setAttribute("aria-pressed", String(name === alignment));
    this.slider.value = "0";
    this.measure();
  }

  /** Both runs are known: how far the slider goes. */
  measure() {
    if (!this.left || !this.right || this.left.lab.session === null || this.right.lab.session === null) return;
    const key = /** @type {"time" | "phase" | "message"} */ (this.alignment);
    this.slider.max = String(Math.max(this.left.ends[key], this.right.ends[key], 1));
    if (key === "phase" && this.left.ends.phase + this.right.ends.phase === 0) this.slider.max = "0";
    this.align();
  }

  /** Brings both runs to the moment of the slider. */
  align() {
    const at = Math.floor(Number(this.slider.value));
    const [, words] = /** @type {string[]} */ (ALIGNMENTS.find(([name]) => name === this.alignment));
    this.where.textContent = this.slider.max === "0" ? "no phases" : `${words} ${number(at)} of ${number(Number(this.slider.max))}`;
    for (const side of [this.left, this.right]) {
      if (!side || side.lab.session === null) continue;
      side.lab.now = this.alignment === "time" ? Math.min(Number(this.slider.value), side.ends.time) : undefined;
      side.lab.attempt(() => side.lab.go(this.moment(side, at)));
      side.lab.emit("tick", {});
    }
  }

  /**
   * @param {Side} side
   * @param {number} at
   */
  moment(side, at) {
    const key = /** @type {"time" | "phase" | "message"} */ (this.alignment);
    if (at >= side.ends[key]) return "end";
    if (at === 0 && key !== "time") return "start";
    return key === "message" ? { move: side.moveOf(at) } : { [key]: at };
  }

  /** Plays or stops. */
  toggle() {
    if (this.playing) this.stop();
    else this.play();
  }

  play() {
    const end = Number(this.slider.max);
    if (Number(this.slider.value) >= end) this.slider.value = "0";
    this.playing = true;
    this.button.textContent = "Pause";
    let last = performance.now();
    const tick = (/** @type {number} */ present) => {
      if (!this.playing || !this.shown) return;
      const value = Math.min(end, Number(this.slider.value) + ((present - last) * end) / PLAY_TIME);
      last = present;
      this.slider.value = String(value);
      this.align();
      if (value >= end) this.stop();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  stop() {
    this.playing = false;
    if (this.button) this.button.textContent = "Play";
  }

  /** What both have cost at this moment, and at their ends. */
  showTable() {
    const sides = [this.left, this.right];
    if (!this.shown || sides.some((side) => !side || side.lab.session === null)) return;
    const rails = sides.map((side) => /** @type {Side} */ (side).lab.request("rail"));
    const quantities = [...new Set(rails.flatMap((rail) => rail.measured.map((/** @type {any} */ one) => one.quantity)))];
    const value = (/** @type {any} */ rail, /** @type {string} */ quantity) => rail?.measured.find((/** @type {any} */ one) => one.quantity === quantity)?.value;
    const cells = (/** @type {string} */ quantity) => rails.flatMap((rail, index) => [h("td", {}, number(value(rail, quantity))), h("td", { class: "at-end" }, number(value(sides[index]?.end, quantity)))]);
    const protocols = sides.map((side) => /** @type {Side} */ (side).lab.run.protocol);
    const names = protocols[0] === protocols[1] ? ["left", "right"] : protocols;
    fill(
      this.table,
      h(
        "table",
        {},
        h("caption", { class: "visually-hidden" }, "Cost of both runs"),
        h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => [h("th", { scope: "col" }, `${name}, now`), h("th", { scope: "col" }, "at its end")]))),
        h("tbody", {}, quantities.map((quantity) => h("tr", {}, h("th", { scope: "row" }, quantityWords(quantity)), cells(quantity))), h("tr", {}, h("th", { scope: "row" }, "outcome"), rails.flatMap((rail, index) => [h("td", {}, rail.outcome), h("td", { class: "at-end" }, sides[index]?.end?.outcome ?? "")]))),
      ),
    );
  }
}
