/** The view for projectors: the stage, what happens, and time; nothing else. */

import { h } from "./dom.js";

/** Switches the presenter view. */
export class Presenter {
  constructor() {
    this.leave = h("button", { type: "button", class: "btn presenter-leave", hidden: true, onclick: () => this.set(false) }, "Leave the presenter view");
    document.body.append(this.leave);
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement && this.full) this.set(false);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.on && !event.defaultPrevented) this.set(false);
    });
    this.full = false;
  }

  get on() {
    return document.documentElement.dataset.presenter === "true";
  }

  /** Enters the view, or leaves it. */
  toggle() {
    this.set(!this.on);
  }

  /** @param {boolean} on */
  set(on) {
    const root = document.documentElement;
    this.leave.hidden = !on;
    if (on) {
      root.dataset.presenter = "true";
      // Where a browser refuses the full screen, the view fills the window.
      root.requestFullscreen?.().then(() => { this.full = true; }, () => {});
    } else {
      delete root.dataset.presenter;
      this.full = false;
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    }
    dispatchEvent(new Event("resize"));
  }
}
