/**
 * Interfering with a run: what can be done to the message or processor that is selected, the next event by hand where there
 * are no clocks, and the command line that repeats in a terminal what the page shows.
 */

import { on } from "./app.js";
import { readLine } from "./command-line.js";
import { copyButton, counted, fill, freshId, h, number, soon } from "./dom.js";

/** How many enabled events are offered at once. */
const EVENTS_SHOWN = 60;

/** The state of a processor that has had no event yet, as frames number it. */
const ASLEEP = 0;

/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

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
    this.popup = h("div", { class: "popup", popover: "manual", role: "group", "aria-label": "What can be done here" });
    this.popup.addEventListener("click", (/** @type {Event} */ event) => {
      if (event.target instanceof HTMLButtonElement) this.popup.hidePopover();
    });
    this.popup.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.popup.hidePopover();
    });
    // A click elsewhere, or focus elsewhere, closes it.
    const elsewhere = (/** @type {Event} */ event) => {
      if (this.popup.matches(":popover-open") && !this.popup.contains(/** @type {Node} */ (event.target))) this.popup.hidePopover();
    };
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("focusin", elsewhere);
    element.append(this.popup);
    document.addEventListener("stage-menu", (event) => {
      // The stages of a comparison show other runs.
      if (!(/** @type {Element} */ (event.target).closest("#compare"))) this.pop(/** @type {CustomEvent} */ (event).detail);
    });
    on(lab, "opened", () => this.opened());
    on(lab, "opened moved selected", soon(() => lab.attempt(() => this.update()), () => (lab.playing ? 150 : 0)));
  }

  opened() {
    const { run, notes } = this.lab;
    // A line breaks between its words only, unless one is too long for that.
    fill(this.line, run.line.split(" ").flatMap((/** @type {string} */ word, /** @type {number} */ index) => [index > 0 && " ", word.length < 32 ? h("span", {}, word) : word]));
    fill(this.notes, notes.map((/** @type {string} */ note) => h("li", {}, note)));
    this.showDone();
  }

  update() {
    if (this.lab.session === null) return;
    this.showActions();
    this.showEvents();
  }

  /**
   * The same actions where the pointer is.
   * @param {{processor?: number, message?: number, x: number, y: number}} detail
   */
  pop({ processor = null, message = null, x, y }) {
    if (!this.popup.showPopover || this.lab.session === null) return;
    fill(this.popup, this.offer(message, processor));
    this.popup.showPopover();
    const { width, height } = this.popup.getBoundingClientRect();
    this.popup.style.insetInlineStart = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    this.popup.style.insetBlockStart = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
    this.popup.querySelector("button")?.focus();
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
    const present = message !== null && this.messageInFlight(message) !== undefined;
    const asleep = processor !== null && lab.frame.state[processor] === ASLEEP;
    const key = JSON.stringify([message, processor, lab.session, present, asleep, lab.run.untimed && (message !== null || processor !== null) && lab.position.move]);
    if (key === this.key) return;
    this.key = key;
    const inside = this.actions.contains(document.activeElement);
    fill(this.actions, this.offer(message, processor));
    if (inside) this.actions.focus();
  }

  /**
   * What can be done to what is selected.
   * @param {number | null} message
   * @param {number | null} processor
   * @returns {any[]}
   */
  offer(message, processor) {
    if (message !== null) return this.messageActions(message);
    if (processor !== null) return this.processorActions(processor);
    return [h("p", { class: "hint" }, "Break it: select a message or a processor on the stage.")];
  }

  /** @param {number} wanted */
  messageInFlight(wanted) {
    return this.lab.frame.messages.find((message) => message.number === wanted);
  }

  /** @param {number} wanted */
  messageActions(wanted) {
    const { lab } = this;
    const message = this.messageInFlight(wanted);
    if (!message) return [h("p", { class: "hint" }, `Message ${wanted} is not on its way at this moment: step back to interfere with it.`)];
    const act = (/** @type {() => string} */ action) => () => lab.attempt(() => lab.intervene({ message: wanted, action: action() }));
    const late = Math.max(Number.isNaN(message.arrives) ? lab.position.time : message.arrives, lab.position.time) + 4 * Math.max(1, lab.run.timing?.d?.[1] ?? 5);
    const hold = this.amount(lab.run.untimed ? "until action" : "until", late);
    return [
      h("strong", {}, `Message ${number(wanted)}`),
      this.enabledButtons((event) => event.kind === "receive" && event.message === wanted, "Deliver it next"),
      this.button("Drop", "It is lost", act(() => "drop")),
      this.button("Duplicate", "A copy arrives with it", act(() => "duplicate")),
      h("span", { class: "joined" }, this.button("Hold", "It does not arrive before this time", act(() => `until:${hold.input.value}`)), hold.element),
      !lab.run.untimed && this.button("Hurry", "It arrives next", act(() => `delay:${Math.max(0, lab.position.time - message.sent) + 1}`)),
    ];
  }

  /** @param {number} place */
  processorActions(place) {
    const { lab } = this;
    const act = (/** @type {() => string} */ action) => () => lab.attempt(() => lab.intervene({ place, action: action() }));
    const pause = this.amount("for", 4 * Math.max(1, lab.run.timing?.r?.[1] ?? 5));
    const name = lab.name(place);
    const status = lab.frame;
    return [
      h("strong", {}, name[0].toUpperCase() + name.slice(1)),
      this.enabledButtons((event) => event.place === place && ["wake", "call", "timeout"].includes(event.kind)),
      this.button("Crash", "It takes no step any more", act(() => "crash")),
      !lab.run.untimed && h("span", { class: "joined" }, this.button("Pause", "It takes no step for so long", act(() => `pause:${pause.input.value}`)), pause.element),
      this.button("Restart", "It begins anew, and has forgotten its state", act(() => "restart")),
      !lab.run.untimed && status.state[place] === ASLEEP && this.button("Wake", "It wakes spontaneously now", act(() => "wake")),
    ];
  }

  /**
   * Without clocks: buttons that take an enabled event next.
   * @param {(event: any) => boolean} wanted
   * @param {string} [label] instead of the event in words
   */
  enabledButtons(wanted, label) {
    const { lab } = this;
    if (!lab.run.untimed) return [];
    const { enabled } = lab.request("enabled");
    return enabled.filter(wanted).map((/** @type {any} */ event) => this.button(label ?? capital(event.text), event.text, () => lab.attempt(() => lab.take(event.index)), "primary"));
  }

  /**
   * @param {string} label
   * @param {string} title
   * @param {() => void} onclick
   * @param {string} [weight]
   */
  button(label, title, onclick, weight = "") {
    return h("button", { type: "button", class: `btn small ${weight}`, title, onclick }, label);
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
      h("h2", {}, enabled.length === 0 ? "No event is enabled" : `Next, by hand: ${counted(enabled.length, "event is", "events are")} enabled`),
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
