/** Keys: everything of the stage and the scrubber without a mouse, and the dialog that lists them. */

import { fill, h } from "./dom.js";

/** @type {[string[], string][]} */
const LIST = [
  [["Space"], "play or pause"],
  [["→", "←"], "step forward or back"],
  [["Shift", "→"], "to the end of the next instant; with ← back"],
  [["]", "["], "to the next phase; to the one before"],
  [[".", ","], "the next step of the processor shown; the one before"],
  [["Home", "End"], "to the beginning; to the end"],
  [["/"], "choose a run"],
  [["c"], "compare two runs"],
  [["s"], "share this moment"],
  [["f"], "a view without distractions, and back"],
  [["+", "−", "0"], "zoom the stage in and out; show all of it"],
  [["h", "j", "k", "l"], "move a magnified stage left, down, up and right"],
  [["?"], "this list"],
  [["Esc"], "close, or select nothing"],
];

/** The keys of the stage's magnifier, from anywhere on the page. */
const ZOOM_KEYS = new Set(["+", "=", "-", "0", "h", "j", "k", "l"]);

/** @param {EventTarget | null} target */
const takesText = (target) => target instanceof HTMLElement && target.closest("input:not([type=range]), textarea, select, [contenteditable]") !== null;
/** @param {EventTarget | null} target */
const takesSpace = (target) => target instanceof HTMLElement && target.closest("button, summary, a, [role=button], [role=option]") !== null;
/** @param {EventTarget | null} target */
const takesArrows = (target) => target instanceof HTMLElement && target.closest("input, [role=slider], [role=listbox], [role=radiogroup], [role=tablist], .scroll") !== null;

/** The keys of the page. */
export class Keys {
  /**
   * @param {HTMLElement} element the dialog that lists them
   * @param {import("./app.js").Lab} lab
   * @param {{headline: any, start: any, share: any, compare: any, presenter: any, stage: any, failure: {clear: () => void, shown: () => boolean}}} parts
   */
  constructor(element, lab, parts) {
    this.dialog = /** @type {HTMLDialogElement} */ (element);
    this.lab = lab;
    this.parts = parts;
    fill(
      element,
      h("header", {}, h("h2", {}, "Keys"), h("button", { type: "button", class: "btn icon", "aria-label": "Close", onclick: () => this.dialog.close() }, "×")),
      h("dl", { class: "keys" }, LIST.map(([keys, words]) => h("div", {}, h("dt", {}, keys.map((key) => h("kbd", {}, key))), h("dd", {}, words)))),
      h("p", { class: "hint" }, "On the stage, ↑ and ↓ select one processor after the other, with Shift one message after the other; a magnified stage follows. The wheel zooms, dragging moves."),
    );
    parts.headline.help?.addEventListener("click", () => this.dialog.showModal());
    addEventListener("keydown", (event) => this.pressed(event));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      this.escape();
      return;
    }
    if (takesText(event.target)) return;
    const action = this.parts.compare.shown ? this.compareAction(event) : (this.action(event) ?? this.zoomAction(event));
    if (!action) return;
    event.preventDefault();
    this.lab.attempt(action);
  }

  escape() {
    const { failure, compare, presenter } = this.parts;
    if (failure.shown()) failure.clear();
    else if (compare.shown) compare.hide();
    else if (presenter.on) presenter.set(false);
    else this.lab.select({});
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {(() => void) | null}
   */
  compareAction(event) {
    if (event.key === " " && !takesSpace(event.target)) return () => this.parts.compare.toggle();
    return null;
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {(() => void) | null}
   */
  action(event) {
    const { lab, dialog } = this;
    const { start, share, compare, presenter } = this.parts;
    const arrows = !takesArrows(event.target);
    const place = lab.selection.processor ?? lab.position.step?.place ?? 0;
    switch (event.key) {
      case " ": return takesSpace(event.target) ? null : () => lab.toggle();
      case "ArrowRight": return arrows ? () => this.by(event.shiftKey ? "instant" : "move", 1) : null;
      case "ArrowLeft": return arrows ? () => this.by(event.shiftKey ? "instant" : "move", -1) : null;
      case "]": return () => this.by("phase", 1);
      case "[": return () => this.by("phase", -1);
      case ".": return () => this.by("processor", 1, place);
      case ",": return () => this.by("processor", -1, place);
      case "Home": return arrows ? () => this.to("start") : null;
      case "End": return arrows ? () => this.to("end") : null;
      case "/": return () => start.show();
      case "c": return () => compare.show();
      case "s": return () => share.show();
      case "f": return () => presenter.toggle();
      case "?": return () => dialog.showModal();
      default: return null;
    }
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {(() => void) | null}
   */
  zoomAction({ key }) {
    const { stage } = this.parts;
    return ZOOM_KEYS.has(key) ? () => stage.zoomBy(key) : null;
  }

  /**
   * @param {"move" | "instant" | "phase" | "processor"} unit
   * @param {number} count
   * @param {number} [place]
   */
  by(unit, count, place) {
    this.lab.pause();
    this.lab.step(unit, count, place);
  }

  /** @param {"start" | "end"} where */
  to(where) {
    this.lab.pause();
    this.lab.go(where);
  }
}
