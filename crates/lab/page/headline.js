/** The head of the page: which run this is, the menu, the present step in words, and how the pictures are arranged. */

import { on } from "./app.js";
import { fill, h, match, number, soon } from "./dom.js";

/** What people call networks. */
const NETWORKS = { ring: "a ring", "bidirectional-ring": "a two-way ring", complete: "a complete network" };

/** How the pictures can be arranged. */
const VIEWS = [
  ["network", "Network"],
  ["both", "Both"],
  ["space-time", "Space-time"],
];

/** How long a screen reader is left in peace while a run is played, in milliseconds. */
const SPOKEN_EVERY = 2500;

/** The themes that the toggle goes through. */
const THEMES = ["auto", "light", "dark"];

/**
 * What is remembered from visit to visit; a browser may refuse.
 * @param {string} name
 * @param {string} [value] to remember it
 */
function remembered(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(`ringleader-${name}`, value);
    return localStorage.getItem(`ringleader-${name}`);
  } catch {
    return null;
  }
}

/** The head of the page. */
export class Headline {
  /**
   * @param {HTMLElement} body
   * @param {import("./app.js").Lab} lab
   */
  constructor(body, lab) {
    this.lab = lab;
    this.name = body.querySelector(".run-name");
    this.about = body.querySelector(".run-about");
    this.now = /** @type {HTMLElement} */ (body.querySelector("#now"));
    this.grid = /** @type {HTMLElement} */ (body.querySelector("main.grid"));
    this.views = /** @type {HTMLElement} */ (body.querySelector(".views"));
    this.nav = /** @type {HTMLElement} */ (body.querySelector("nav.menu"));
    this.opener = /** @type {HTMLElement} */ (body.querySelector("#open-start"));
    this.spoken = h("p", { class: "visually-hidden", "aria-live": "polite", "aria-atomic": "true" });
    this.now.after(this.spoken);
    this.makeViews();
    this.setTheme(remembered("theme") ?? "auto");
    on(lab, "opened", () => this.opened());
    on(lab, "moved", soon(() => this.moved(), () => (lab.playing ? 100 : 0)));
    const speak = soon(() => this.speak(), () => (lab.playing ? SPOKEN_EVERY : 0));
    on(lab, "moved", speak);
  }

  makeViews() {
    const wanted = remembered("view") ?? (matchMedia("(min-width: 1000px)").matches ? "both" : "network");
    this.choices = VIEWS.map(([view, label]) => h("button", { type: "button", "data-view": view, onclick: () => this.setView(view) }, label));
    this.views.append(h("div", { class: "seg", role: "group", "aria-label": "Pictures" }, this.choices));
    this.setView(wanted);
  }

  /** @param {string} view */
  setView(view) {
    this.grid.dataset.view = view;
    remembered("view", view);
    for (const button of this.choices ?? []) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }

  /**
   * Fills the menu.
   * @param {{start: any, share: any, compare: any, presenter: any, tour: any, quiz: any}} parts
   */
  menu({ start, share, compare, presenter, tour, quiz }) {
    this.opener.addEventListener("click", () => start.show());
    this.theme = h("button", { type: "button", class: "btn icon corner", onclick: () => this.nextTheme() });
    const alone = (/** @type {() => void} */ action) => () => {
      if (compare.shown) compare.hide();
      action();
    };
    fill(
      this.nav,
      h("button", { type: "button", class: "btn primary", "aria-haspopup": "dialog", onclick: () => start.show() }, "Choose a run"),
      h("button", { type: "button", class: "btn", onclick: alone(() => tour.open()) }, "Tour"),
      h("button", { type: "button", class: "btn", onclick: alone(() => quiz.open()) }, "Quiz"),
      h("button", { type: "button", class: "btn", onclick: () => compare.show() }, "Compare"),
      h("button", { type: "button", class: "btn", "aria-haspopup": "dialog", onclick: () => share.show() }, "Share"),
      h("button", { type: "button", class: "btn presents", onclick: alone(() => presenter.toggle()) }, "Present"),
      this.theme,
      (this.help = h("button", { type: "button", class: "btn icon corner", "aria-label": "Keys", "aria-haspopup": "dialog" }, "?")),
    );
    this.setTheme(document.documentElement.dataset.theme ?? "auto");
  }

  nextTheme() {
    const present = document.documentElement.dataset.theme ?? "auto";
    this.setTheme(THEMES[(THEMES.indexOf(present) + 1) % THEMES.length]);
    this.lab.emit("theme", {});
  }

  /** @param {string} theme */
  setTheme(theme) {
    const root = document.documentElement;
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    remembered("theme", theme);
    if (!this.theme) return;
    fill(this.theme, h("span", { "aria-hidden": "true" }, { auto: "◐", light: "☀", dark: "☾" }[theme]), h("span", { class: "visually-hidden" }, `Theme: ${theme}`));
    this.theme.title = `Theme: ${theme}`;
  }

  opened() {
    const { run } = this.lab;
    fill(/** @type {Element} */ (this.name), run.protocol);
    const seed = /--seed (\d+)/u.exec(run.line)?.[1];
    const about = [
      `${number(run.sites)}${run.cells > 0 ? ` and ${number(run.cells)} cells` : ""} on ${NETWORKS[/** @type {keyof typeof NETWORKS} */ (run.topology)] ?? run.topology}`,
      run.untimed ? "without clocks" : `r ${range(run.timing.r)}, d ${range(run.timing.d)}`,
      run["rules-followed"] === "printed" && "printed rules",
      seed && `seed ${seed}`,
    ];
    fill(/** @type {Element} */ (this.about), about.filter(Boolean).join(" · "));
    this.opener.title = run.title;
    document.title = `${run.protocol} · Ringleader lab`;
  }

  moved() {
    const { position, run } = this.lab;
    const unit = run.untimed ? "action" : "time";
    match(
      this.now,
      h("span", { class: "when" }, `${unit} ${number(position.time)}`),
      h("span", { class: "what", title: this.stepWords() }, this.stepWords()),
    );
  }

  stepWords() {
    const { position } = this.lab;
    if (position.step === null) return "Before the first step. Press space to play, → to step.";
    return position.over ? `${stepText(position.step)} The run is over.` : stepText(position.step);
  }

  speak() {
    this.spoken.textContent = this.stepWords();
  }
}

/**
 * The steps of a move as sentences, without the time, which stands beside them.
 * @param {import("./app.js").Step} step
 * @returns {string[]}
 */
export function stepSentences(step) {
  const sentence = (/** @type {string} */ line) => {
    const text = line.replace(/^at \d+ /u, "");
    return `${text[0].toUpperCase()}${text.slice(1)}${/[.!]$/u.test(text) ? "" : "."}`;
  };
  return step.text.split("\n").filter(Boolean).map(sentence);
}

/**
 * A move in one line.
 * @param {import("./app.js").Step} step
 */
export const stepText = (step) => stepSentences(step).join(" ");

/** @param {[number, number]} both */
const range = ([low, high]) => (low === high ? number(low) : `${number(low)}..${number(high)}`);
