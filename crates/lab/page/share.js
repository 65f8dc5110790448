/** Sharing a moment: the address, a command line, a Rust test, a picture, a trace file. */

import { on } from "./app.js";
import { copyButton, download, fill, freshId, h } from "./dom.js";
import { stillOf } from "./still.js";

/** How long the run must rest before the address follows it, in milliseconds. */
const REST = 300;

/** The dialog that shares, and the address that follows the run. */
export class Share {
  /**
   * @param {HTMLElement} element a dialog
   * @param {import("./app.js").Lab} lab
   * @param {import("./stage.js").Stage} stage which is pictured
   */
  constructor(element, lab, stage) {
    this.stage = stage;
    /** @type {string[]} the pictures that are shown */
    this.urls = [];
    this.dialog = /** @type {HTMLDialogElement} */ (element);
    this.lab = lab;
    this.body = h("div", { class: "share-body" });
    element.append(
      h("header", {}, h("h2", {}, "Share this moment"), h("button", { type: "button", class: "btn icon", "aria-label": "Close", onclick: () => this.dialog.close() }, "×")),
      this.body,
    );
    this.dialog.addEventListener("close", () => this.forget());
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    on(lab, "opened moved selected playing", () => this.arrange());
  }

  /** Lets the address follow when the run rests. */
  arrange() {
    clearTimeout(this.timer);
    if (this.lab.playing) return;
    this.timer = setTimeout(() => this.follow(), REST);
  }

  follow() {
    if (this.lab.session === null || this.lab.engine.dead) return;
    const fragment = this.lab.attempt(() => this.fragment());
    if (fragment && location.hash.slice(1) !== fragment) history.replaceState(null, "", `#${fragment}`);
  }

  /** The moment as a link holds it. */
  fragment() {
    const { lab } = this;
    return lab.request("link", { selection: lab.selection }).fragment;
  }

  /** Opens the dialog. */
  show() {
    const { lab } = this;
    lab.pause();
    lab.attempt(() => {
      this.fill();
      this.dialog.showModal();
    });
  }

  fill() {
    const { lab } = this;
    const base = /^(https?|file):/u.test(location.href) ? location.href.split("#")[0] : "";
    const stem = `${lab.run.protocol}-${lab.run.n}-move-${lab.position.move}`;
    const text = (/** @type {string} */ op) => lab.request(op).text;
    fill(
      this.body,
      this.line("Link", "This run, this moment, this selection, compressed into the address.", `${base}#${this.fragment()}`, true),
      this.line("Command line", "Repeats the run in a terminal.", lab.request("command").line),
      h(
        "section",
        {},
        h("h3", {}, "Picture"),
        h("p", { class: "hint" }, "The network at this moment, and the run so far as a space-time diagram."),
        h("div", { class: "figures" }, this.network(`${stem}.svg`), this.spaceTime(`${stem}-space-time.svg`)),
      ),
      h(
        "section",
        {},
        h("h3", {}, "For programs"),
        h("p", { class: "hint" }, "A Rust test that repeats the run, its trace for ", h("code", {}, "ringleader replay"), ", its report as ", h("code", {}, "run --json"), " prints it."),
        h(
          "p",
          { class: "row" },
          copyButton("Copy Rust test", () => text("rust")),
          h("button", { type: "button", class: "btn small", onclick: () => lab.attempt(() => download(`${stem}.rs`, text("rust"), "text/plain")) }, "Save Rust test"),
          h("button", { type: "button", class: "btn small", onclick: () => lab.attempt(() => download(`${stem}.json`, text("trace"), "application/json")) }, "Save trace"),
          h("button", { type: "button", class: "btn small", onclick: () => lab.attempt(() => download(`${stem}-report.json`, JSON.stringify(lab.request("report"), null, 2), "application/json")) }, "Save report"),
        ),
      ),
    );
  }

  /**
   * A line of text with a button that copies it.
   * @param {string} title
   * @param {string} hint
   * @param {string} value
   * @param {boolean} [first] whether it has the focus
   */
  line(title, hint, value, first = false) {
    const id = freshId("share");
    const input = h("input", { id, type: "text", readonly: true, autofocus: first, value, class: "mono", onfocus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select() });
    return h("section", {}, h("h3", {}, h("label", { for: id }, title)), h("p", { class: "hint" }, hint), h("p", { class: "terminal" }, input, copyButton("Copy", () => value)));
  }

  /** @param {string} file */
  network(file) {
    const { run, position } = this.lab;
    this.stage.settle();
    const svg = stillOf(this.stage.element, `${run.untimed ? "action" : "time"} ${position.time}: ${run.line}`);
    return svg && this.picture("Network", file, svg);
  }

  /** @param {string} file */
  spaceTime(file) {
    const theme = getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light";
    const answer = this.lab.attempt(() => this.lab.request("svg", { theme }));
    return answer && this.picture("Space-time", file, answer.svg);
  }

  /**
   * @param {string} title
   * @param {string} file
   * @param {string} svg
   */
  picture(title, file, svg) {
    const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    this.urls.push(url);
    return h(
      "figure",
      {},
      h("img", { src: url, alt: `${title} of this run` }),
      h("figcaption", {}, h("button", { type: "button", class: "btn small", onclick: () => download(file, svg, "image/svg+xml") }, `Save ${title.toLowerCase()} as SVG`)),
    );
  }

  forget() {
    for (const url of this.urls) URL.revokeObjectURL(url);
    this.urls = [];
    fill(this.body);
  }
}
