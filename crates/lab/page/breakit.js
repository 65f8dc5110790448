/**
 * Interfering with a run: what can be done to the message or processor that is selected, the next event by hand where there
 * are no clocks, and the command line that repeats in a terminal what the page shows.
 */

import { on } from "./app.js";
import { readLine } from "./command-line.js";
import { copyButton, counted, fill, freshId, h, number, soon } from "./dom.js";

/** How many enabled events are offered at once. */
const EVENTS_SHOWN = 60;

/** What can be done to messages and processors, and to undo it. */
export class BreakIt {
  /**
   * @param {HTMLElement} element
   * @param {import("./app.js").Lab} lab
   */
  constructor(element, lab) {
    this.lab = lab;
    this.actions = h("div", { class: "actions", tabindex: -1, role: "group", "aria-label": "What can be done" });
    this.events = h("div", { class: "events" });
    this.done = h("div", { class: "done" });
    this.line = h("code", { class: "line", tabindex: 0, role: "region", "aria-label": "Command line of this run" });
    this.notes = h("ul", { class: "notes" });
    element.append(
      h("div", { class: "break-row" }, this.actions, this.done),
      this.events,
      h(
        "div",
        { class: "terminal" },
        h("span", { class: "prompt", "aria-hidden": "true" }, "$"),
        this.line,
        copyButton("Copy", () => this.line.textContent ?? "", () => this.line),
      ),
      this.notes,
    );
    on(lab, "opened", () => this.opened());
    on(lab, "opened moved selected", soon(() => lab.attempt(() => this.update()), () => (lab.playing ? 150 : 0)));
  }

  opened() {
    const { run, notes } = this.lab;
    fill(this.line, run.line);
    fill(this.notes, notes.map((/** @type {string} */ note) => h("li", {}, note)));
    this.showDone();
  }

  update() {
    if (this.lab.session === null) return;
    this.showActions();
    this.showEvents();
  }

  /** What was changed about the run, each with a button that undoes it. */
  showDone() {
    const { lab } = this;
    const said = readLine(lab.run.line).options;
    const messages = (lab.run.interventions ?? []).map((/** @type {string} */ text) => ({ text: `message ${text.replace(":", ": ")}`, undo: { message: Number.parseInt(text, 10), action: null } }));
    const faults = (said.get("faults")?.[0] ?? "").split(",").filter(Boolean);
    const places = faults.map((text) => ({ text, place: /^(?:crash|restart|pause):(\d+)/u.exec(text)?.[1] }));
    const all = [...messages, ...places.map(({ text, place }) => ({ text, undo: place === undefined ? null : { place: Number(place), action: null } }))];
    fill(
      this.done,
      all.length > 0 && [
        h("span", { class: "done-title" }, "Changed:"),
        all.map(({ text, undo }) =>
          h("span", { class: "chip" }, text, undo && h("button", { type: "button", class: "undo", "aria-label": `Undo: ${text}`, onclick: () => lab.attempt(() => lab.intervene(undo)) }, "×")),
        ),
        h("button", { type: "button", class: "btn small", onclick: () => lab.attempt(() => lab.intervene({ clear: true })) }, "Undo all"),
      ],
    );
  }

  showActions() {
    const { lab } = this;
    const { message, processor } = lab.selection;
    const key = JSON.stringify([message, processor, lab.session, lab.run.untimed, message !== null && this.messageInFlight(message) !== undefined]);
    if (key === this.key) return;
    this.key = key;
    const inside = this.actions.contains(document.activeElement);
    this.offer(message, processor);
    if (inside) this.actions.focus();
  }

  /**
   * @param {number | null} message
   * @param {number | null} processor
   */
  offer(message, processor) {
    if (message !== null) this.showMessageActions(message);
    else if (processor !== null) this.showProcessorActions(processor);
    else fill(this.actions, h("p", { class: "hint" }, "Break it: select a message or a processor on the stage."));
  }

  /** @param {number} wanted */
  messageInFlight(wanted) {
    return this.lab.frame.messages.find((message) => message.number === wanted);
  }

  /** @param {number} wanted */
  showMessageActions(wanted) {
    const { lab } = this;
    const message = this.messageInFlight(wanted);
    if (!message) {
      fill(this.actions, h("p", { class: "hint" }, `Message ${wanted} is not on its way at this moment: step back to interfere with it.`));
      return;
    }
    const act = (/** @type {() => string} */ action) => () => lab.attempt(() => lab.intervene({ message: wanted, action: action() }));
    const late = Math.max(Number.isNaN(message.arrives) ? lab.position.time : message.arrives, lab.position.time) + 4 * Math.max(1, lab.run.timing?.d?.[1] ?? 5);
    const hold = this.amount(lab.run.untimed ? "until action" : "until", late);
    fill(
      this.actions,
      h("strong", {}, `Message ${number(wanted)}`),
      this.button("Drop", "It is lost", act(() => "drop")),
      this.button("Duplicate", "A copy arrives with it", act(() => "duplicate")),
      h("span", { class: "joined" }, this.button("Hold", "It does not arrive before this time", act(() => `until:${hold.input.value}`)), hold.element),
      !lab.run.untimed && this.button("Hurry", "It arrives next", act(() => `delay:${Math.max(0, lab.position.time - message.sent) + 1}`)),
    );
  }

  /** @param {number} place */
  showProcessorActions(place) {
    const { lab } = this;
    const act = (/** @type {() => string} */ action) => () => lab.attempt(() => lab.intervene({ place, action: action() }));
    const pause = this.amount("for", 4 * Math.max(1, lab.run.timing?.r?.[1] ?? 5));
    fill(
      this.actions,
      h("strong", {}, lab.name(place)[0].toUpperCase() + lab.name(place).slice(1)),
      this.button("Crash", "It takes no step any more", act(() => "crash")),
      h("span", { class: "joined" }, this.button("Pause", "It takes no step for so long", act(() => `pause:${pause.input.value}`)), pause.element),
      this.button("Restart", "It begins anew, and has forgotten its state", act(() => "restart")),
      this.button("Wake", "It wakes spontaneously now", act(() => "wake")),
    );
  }

  /**
   * @param {string} label
   * @param {string} title
   * @param {() => void} onclick
   */
  button(label, title, onclick) {
    return h("button", { type: "button", class: "btn small", title, onclick }, label);
  }

  /**
   * A number beside a button.
   * @param {string} label
   * @param {number} value
   */
  amount(label, value) {
    const id = freshId("amount");
    const input = h("input", { id, type: "number", min: 0, step: 1, value: Math.round(value) });
    return { input, element: h("label", { for: id, class: "amount" }, label, " ", input) };
  }

  /** Without clocks: the enabled events, of which the next is chosen by hand. */
  showEvents() {
    const { lab } = this;
    if (!lab.run.untimed || lab.playing) {
      fill(this.events);
      return;
    }
    const { enabled } = lab.request("enabled");
    const inside = this.events.contains(document.activeElement);
    const take = (/** @type {any} */ event) => () => lab.attempt(() => lab.take(event.index));
    fill(
      this.events,
      h("h3", {}, enabled.length === 0 ? "No event is enabled" : `Next, by hand: ${counted(enabled.length, "event is", "events are")} enabled`),
      enabled.length > 0 &&
        h(
          "ul",
          {},
          enabled.slice(0, EVENTS_SHOWN).map((/** @type {any} */ event) => h("li", {}, h("button", { type: "button", class: `event ${event.kind}`, onclick: take(event) }, event.text))),
        ),
      enabled.length > EVENTS_SHOWN && h("p", { class: "hint" }, `and ${number(enabled.length - EVENTS_SHOWN)} more`),
    );
    if (inside) /** @type {HTMLElement | null} */ (this.events.querySelector("button"))?.focus();
  }
}
