/**
 * A processor looked into: its state with what has just changed, the rule that fired, its inbox and its timers; or a message.
 * Where nothing is selected, it follows the run: the processor of the last step.
 */

import { on } from "./app.js";
import { fill, h, number, soon } from "./dom.js";
import { stepSentences } from "./headline.js";
import { STATE_WORDS, STATES, kindColour } from "./palette.js";

/** What people call the places where a message can be. */
export const MESSAGE_STAGES = ["on its link", "waiting for its half-duplex link", "behind another message of its link", "held, its receiver is paused", "in the inbox of its receiver"];

/**
 * The content of a message, whether it is given as data or as text.
 * @param {any} message
 */
const contentText = (message) => message.content?.text ?? message.text ?? message.content?.kind ?? message.kind ?? "message";

/** The inspector beside the stage. */
export class Inspector {
  /**
   * @param {HTMLElement} element
   * @param {import("./app.js").Lab} lab
   */
  constructor(element, lab) {
    this.lab = lab;
    this.title = h("h2", {});
    this.follow = h("button", { type: "button", class: "btn small", onclick: () => this.toggleFollow() });
    this.buttons = h(
      "div",
      { class: "row step-row", role: "group", "aria-label": "Steps of this processor" },
      h("button", { type: "button", class: "btn small", "aria-label": "Its step before", onclick: () => this.go(-1) }, "←"),
      h("span", { class: "hint", "aria-hidden": "true" }, "its steps"),
      h("button", { type: "button", class: "btn small", "aria-label": "Its next step", onclick: () => this.go(1) }, "→"),
      this.follow,
    );
    this.body = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Processor or message" });
    element.append(this.title, this.buttons, this.body);
    /** @type {number | null} the processor that is shown */
    this.place = null;
    const update = soon(() => lab.attempt(() => this.update()), () => (lab.playing ? 200 : 0));
    on(lab, "opened moved selected", update);
  }

  update() {
    const { lab } = this;
    if (lab.session === null) return;
    const inside = this.body.contains(document.activeElement);
    this.show();
    // What had the focus is gone: it stays in the inspector.
    if (inside && !this.body.contains(document.activeElement)) this.body.focus();
  }

  show() {
    const { lab } = this;
    this.place = null;
    if (lab.selection.message === null || !this.showMessage(lab.selection.message)) {
      this.place = lab.selection.processor ?? lab.position.step?.place ?? null;
      if (this.place === null) this.showStart();
      else this.showProcessor(lab.request("inspect", { place: this.place }));
    }
    this.buttons.hidden = this.place === null;
    this.follow.textContent = lab.selection.processor === null ? "Keep it here" : "Follow the run";
  }

  /** @param {number} count of own steps */
  go(count) {
    const { lab, place } = this;
    if (place === null) return;
    lab.pause();
    lab.attempt(() => lab.step("processor", count, place));
  }

  /** Keeps the processor that is shown, or follows the run again. */
  toggleFollow() {
    const { lab, place } = this;
    if (place !== null) lab.select(lab.selection.processor === null ? { processor: place } : {});
  }

  showStart() {
    const { run } = this.lab;
    fill(this.title, "Before the first step");
    fill(
      this.body,
      h("p", { class: "hint" }, "Step forward with →, or press space to play. Click a processor to keep an eye on it, a message to interfere with it."),
      h("h3", {}, "Rules"),
      ruleList(run.rules, []),
    );
  }

  /**
   * @param {number} messageNumber
   * @returns {boolean} whether the message is on its way
   */
  showMessage(messageNumber) {
    const { lab } = this;
    const found = lab.frame.messages.find((message) => message.number === messageNumber);
    if (!found) return false;
    const kind = lab.run.kinds[found.kind];
    const told = lab.request("messages").messages.find((/** @type {any} */ message) => message.number === messageNumber);
    fill(this.title, `Message ${found.number}`, h("span", { class: "chip" }, MESSAGE_STAGES[found.stage] ?? ""));
    const rows = [
      ["content", told ? contentText(told) : (kind?.name ?? "–")],
      ["from", this.placeButton(found.from)],
      ["to", this.placeButton(found.to)],
      [lab.run.untimed ? "sent at action" : "sent at", number(found.sent)],
      ...(lab.run.untimed ? [] : [["arrives at", Number.isNaN(found.arrives) ? "not known yet" : number(found.arrives)]]),
    ];
    fill(
      this.body,
      h("p", { class: "message-kind" }, h("span", { class: "swatch", style: `background:${kindColour(kind)}` }), kind?.name ?? "message", found.copy && " · a copy", found.intervened && " · interfered with"),
      h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    );
    return true;
  }

  /** @param {any} view a processor as data */
  showProcessor(view) {
    const { lab } = this;
    const state = STATES.indexOf(view.state);
    fill(
      this.title,
      lab.name(view.place),
      h("span", { class: "chip", "data-state": view.state }, view.crashed ? "crashed" : view.paused ? "paused" : (STATE_WORDS[state] ?? view.state)),
    );
    const justNow = view.last !== null && view.last !== undefined && view.last.move === lab.position.move;
    fill(
      this.body,
      view.last ? this.lastStep(view.last, justNow) : h("p", { class: "hint" }, view.state === STATES[0] ? "It has taken no step yet." : "Its last step was long ago: ← leads there."),
      this.fields(view, justNow),
      this.queue(view),
    );
  }

  /**
   * @param {import("./app.js").Step} step
   * @param {boolean} justNow
   */
  lastStep(step, justNow) {
    return h(
      "div",
      { class: justNow ? "step now-step" : "step" },
      stepSentences(step).map((sentence) => h("p", { class: "step-text" }, sentence)),
      step.rules.map(({ number: rule, text }) => h("blockquote", { class: "rule" }, h("b", {}, `Rule ${rule}. `), text)),
      !justNow &&
        h("button", { type: "button", class: "link", onclick: () => this.lab.attempt(() => this.lab.go({ move: step.move })) }, `${this.lab.run.untimed ? "action" : "time"} ${number(step.time)}: go there`),
    );
  }

  /**
   * @param {any} view
   * @param {boolean} justNow
   */
  fields(view, justNow) {
    const changed = new Map((view.last?.changed ?? []).map((/** @type {any} */ change) => [change.field, change]));
    const rows = view.fields.map((/** @type {[string, string]} */ [name, value]) => {
      const change = changed.get(name);
      return h(
        "tr",
        { class: change ? (justNow ? "changed" : "changed-before") : null },
        h("th", { scope: "row" }, name),
        h("td", {}, change && justNow ? [h("s", {}, change.from), h("span", { class: "visually-hidden" }, " has become "), " → ", h("b", {}, value)] : value),
      );
    });
    const facts = [
      view.phase !== null && view.phase !== undefined && ["phase", number(view.phase)],
      view.clock && ["clock", clockWords(view.clock)],
      ["causal depth", number(view.depth)],
      ...view.timers.map((/** @type {any} */ timer) => [`timer ${timer.timer}`, timer.note || (timer.expires === null ? "set" : `expires at ${number(timer.expires)}`)]),
    ].filter(Boolean);
    return h(
      "table",
      { class: "state" },
      h("caption", {}, "State"),
      h("tbody", {}, rows, facts.map(([name, value]) => h("tr", { class: "fact" }, h("th", { scope: "row" }, name), h("td", {}, value)))),
    );
  }

  /** @param {any} view */
  queue(view) {
    if (view.inbox.length === 0) return h("p", { class: "hint" }, "Its inbox is empty.");
    return [
      h("h3", {}, "Inbox"),
      h("ol", { class: "inbox" }, view.inbox.map((/** @type {any} */ message) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => this.lab.select({ message: message.number }) }, `${message.number}: ${contentText(message)}`), ` from place ${message.from}`))),
    ];
  }

  /** @param {number} place */
  placeButton(place) {
    return h("button", { type: "button", class: "link", onclick: () => this.lab.select({ processor: place }) }, this.lab.name(place));
  }
}

/** @param {{tick: number | null, first: number, next: number | null}} clock */
function clockWords(clock) {
  const tick = clock.tick === null ? "ticks of varying length" : `a tick each ${number(clock.tick)}`;
  return clock.next === null ? tick : `${tick}, the next at ${number(clock.next)}`;
}

/**
 * The rules of a protocol, with those marked that have just fired.
 * @param {string[]} rules
 * @param {number[]} fired
 */
export function ruleList(rules, fired) {
  return h("ol", { class: "rules" }, rules.map((rule, index) => h("li", { class: fired.includes(index + 1) ? "fired" : null }, rule)));
}
