/** Where runs come from: presets, the catalogue with search and filters, a form, a command line, a trace file, a check. */

import { on } from "./app.js";
import { CheckWorker } from "./check-worker.js";
import { readLine } from "./command-line.js";
import { fill, freshId, h, number } from "./dom.js";
import { LabError, errorSentences } from "./engine.js";
import { RunForm } from "./run-form.js";

/** What people call problems. */
const PROBLEMS = { election: "Leader election", "mutual-exclusion": "Mutual exclusion", "readers-writers": "Readers and writers", "token-ring": "Token ring" };
const NETWORKS = { ring: "ring", "bidirectional-ring": "two-way ring", complete: "complete network" };

/** From this number of processors on, opening a run takes long enough to say so. */
const ANNOUNCED = 100_000;

/** The largest trace file that is read. */
const MAX_TRACE_BYTES = 64 << 20;

/** @typedef {{name: string, label: string, test: (protocol: any) => boolean}} Trait */
/** @type {Trait[]} */
const TRAITS = [
  { name: "clocks", label: "uses clocks", test: (protocol) => protocol.clocks },
  { name: "async", label: "without clocks", test: (protocol) => !protocol.clocks },
  { name: "anonymous", label: "anonymous", test: (protocol) => !protocol.identities },
  { name: "coins", label: "flips coins", test: (protocol) => protocol.probabilistic },
  { name: "printed", label: "printed rules fail", test: (protocol) => protocol["has-printed"] },
];

/** The dialog in which a run is chosen. */
export class Start {
  /**
   * @param {HTMLElement} element a dialog
   * @param {import("./app.js").Lab} lab
   */
  constructor(element, lab) {
    this.dialog = /** @type {HTMLDialogElement} */ (element);
    this.lab = lab;
    this.built = false;
    /** @type {CheckWorker | null} */
    this.check = null;
    this.dialog.addEventListener("close", () => this.stopCheck());
    on(lab, "opened", () => {
      if (this.built && !this.dialog.open) this.fromRun();
    });
    this.takeDrops(document.body);
  }

  /** Opens the dialog. */
  show() {
    const { lab } = this;
    lab.pause();
    lab.attempt(() => {
      if (!this.built) this.build();
      this.fromRun();
      this.say(null);
      this.dialog.showModal();
      const chosen = this.list.querySelector("label:has(:checked)");
      if (chosen) this.list.scrollTop = chosen.offsetTop - this.list.offsetTop - this.list.clientHeight / 3;
      // On a touch screen, focus would bring up a keyboard that covers the list.
      if (matchMedia("(pointer: fine)").matches) this.search.focus();
    });
  }

  build() {
    const { protocols, options, presets } = this.lab.engine.catalogue();
    this.protocols = protocols;
    this.form = new RunForm(options, () => this.formChanged());
    this.built = true;
    fill(
      this.dialog,
      h("header", {}, h("h2", {}, "Choose a run"), h("button", { type: "button", class: "btn icon", "aria-label": "Close", onclick: () => this.dialog.close() }, "×")),
      h("div", { class: "start-body" }, this.presetCards(presets), this.catalogue(), this.details()),
      this.footer(),
    );
  }

  /** @param {{name: string, title: string, text: string, line: string}[]} presets */
  presetCards(presets) {
    return h(
      "section",
      { class: "presets", "aria-label": "Presets" },
      presets.map(({ title, text, line }) => h("button", { type: "button", class: "preset", title: text, onclick: () => this.openIt({ line }) }, h("b", {}, title), h("span", {}, text))),
    );
  }

  catalogue() {
    const id = freshId("search");
    this.search = h("input", { id, type: "search", placeholder: "Search 22 protocols".replace("22", number(this.protocols.length)), autocomplete: "off", spellcheck: "false" });
    this.search.addEventListener("input", () => this.showList());
    this.problem = this.filterSelect("Problem", Object.entries(PROBLEMS));
    this.network = this.filterSelect("Network", Object.entries(NETWORKS));
    /** @type {Set<string>} */
    this.traits = new Set();
    const chips = TRAITS.map(({ name, label }) => {
      const chip = h("button", { type: "button", class: "chip filter", "aria-pressed": "false" }, label);
      chip.addEventListener("click", () => {
        if (!this.traits.delete(name)) this.traits.add(name);
        chip.setAttribute("aria-pressed", String(this.traits.has(name)));
        this.showList();
      });
      return chip;
    });
    this.list = h("div", { class: "protocols scroll", role: "radiogroup", "aria-label": "Protocols" });
    this.list.addEventListener("change", (/** @type {Event} */ event) => this.choose(/** @type {HTMLInputElement} */ (event.target).value));
    this.found = h("p", { class: "visually-hidden", role: "status" });
    return h(
      "section",
      { class: "catalogue", "aria-label": "Catalogue" },
      h("label", { for: id, class: "visually-hidden" }, "Search the protocols"),
      this.search,
      h("div", { class: "filters" }, this.problem, this.network, chips),
      this.found,
      this.list,
    );
  }

  /**
   * @param {string} label
   * @param {[string, string][]} entries
   */
  filterSelect(label, entries) {
    const select = h("select", { "aria-label": label }, h("option", { value: "" }, `${label}: all`), entries.map(([value, words]) => h("option", { value }, words)));
    select.addEventListener("change", () => this.showList());
    return select;
  }

  showList() {
    const words = this.search.value.toLowerCase().split(/\s+/u).filter(Boolean);
    const matches = (/** @type {any} */ protocol) => {
      const text = [protocol.name, protocol.title, protocol.idea, protocol.problem, protocol.topology, ...protocol.sources].join(" ").toLowerCase();
      return (
        words.every((/** @type {string} */ word) => text.includes(word)) &&
        (this.problem.value === "" || protocol.problem === this.problem.value) &&
        (this.network.value === "" || protocol.topology === this.network.value) &&
        TRAITS.every(({ name, test }) => !this.traits.has(name) || test(protocol))
      );
    };
    const found = this.protocols.filter(matches);
    this.found.textContent = `${found.length} protocols found`;
    const groups = Object.entries(PROBLEMS).map(([problem, title]) => [title, found.filter((/** @type {any} */ protocol) => protocol.problem === problem)]);
    fill(
      this.list,
      groups.filter(([, members]) => members.length > 0).map(([title, members]) => [h("h3", {}, title), members.map((/** @type {any} */ protocol) => this.entry(protocol))]),
      found.length === 0 && h("p", { class: "hint" }, "No protocol has all of that. Clear the search or a filter."),
    );
  }

  /** @param {any} protocol */
  entry(protocol) {
    const radio = h("input", { type: "radio", name: "protocol", value: protocol.name, checked: protocol.name === this.form.protocol?.name });
    return h("label", { class: "protocol" }, radio, h("b", {}, protocol.name), h("span", {}, protocol.title));
  }

  details() {
    this.about = h("div", { class: "about" });
    return h("section", { class: "details scroll", tabindex: 0, role: "group", "aria-label": "Settings of the run" }, this.about, this.form.element);
  }

  footer() {
    const id = freshId("line");
    this.input = h("input", { id, type: "text", class: "mono", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this.input.addEventListener("change", () => this.lineChanged());
    this.input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") this.run();
    });
    const file = h("input", { type: "file", accept: ".json,.jsonl,.trace,application/json", class: "visually-hidden", tabindex: -1, "aria-hidden": "true" });
    file.addEventListener("change", () => this.readFiles(file.files));
    this.size = h("select", { "aria-label": "Processors of the check" }, ["two", "three", "four", "five"].map((word, index) => h("option", { value: index + 2, selected: word === "four" }, word)));
    this.checkButton = h("button", { type: "button", class: "btn", onclick: () => this.toggleCheck() }, "Check every schedule of");
    this.message = h("p", { class: "message", role: "status" });
    return h(
      "footer",
      {},
      h("div", { class: "terminal" }, h("span", { class: "prompt", "aria-hidden": "true" }, "$"), h("label", { for: id, class: "visually-hidden" }, "Command line of the run"), this.input),
      h(
        "p",
        { class: "row" },
        h("button", { type: "button", class: "btn primary", onclick: () => this.run() }, "Run"),
        h("span", { class: "joined" }, this.checkButton, this.size),
        h("button", { type: "button", class: "btn", onclick: () => file.click() }, "Open a trace file"),
        file,
        h("span", { class: "hint" }, "or drop one on the page"),
      ),
      this.message,
    );
  }

  /** Fills the dialog in from the run that is open. */
  fromRun() {
    const { lab } = this;
    this.fromLine(lab.session === null ? "run vitanyi" : lab.run.line);
  }

  /** @param {string} line */
  fromLine(line) {
    const said = readLine(line);
    const known = this.protocols.filter((/** @type {any} */ protocol) => protocol.name.startsWith(said.protocol));
    const protocol = known.find((/** @type {any} */ one) => one.name === said.protocol) ?? (known.length === 1 ? known[0] : undefined);
    if (!protocol) {
      this.say(new LabError(`There is no protocol ${said.protocol}`, "choose one from the list"));
      return;
    }
    const options = new Map([...said.options].filter(([name]) => this.knows(name)));
    this.form.show(protocol, options);
    this.input.value = line;
    this.showAbout();
    this.showList();
  }

  /** @param {string} name of an option */
  knows(name) {
    return this.lab.engine.catalogue().options.some((/** @type {any} */ option) => option.name === name);
  }

  /** @param {string} name of a protocol */
  choose(name) {
    const protocol = this.protocols.find((/** @type {any} */ one) => one.name === name);
    const kept = new Map([...this.form.values()].filter(([option]) => ["n", "seed"].includes(option)));
    this.form.show(protocol, kept);
    this.showAbout();
    this.formChanged();
  }

  showAbout() {
    const { protocol } = this.form;
    const suggested = (protocol.suggested ?? []).filter((/** @type {string} */ line) => /^ringleader (run|check) /u.test(line));
    const follow = (/** @type {string} */ line) => () => (line.startsWith("ringleader run ") ? this.openIt({ line }) : this.startCheck(line));
    fill(
      this.about,
      h("h3", {}, protocol.name),
      h("p", { class: "title" }, protocol.title),
      h("p", {}, protocol.idea),
      h("p", { class: "hint" }, `${NETWORKS[/** @type {keyof typeof NETWORKS} */ (protocol.topology)] ?? protocol.topology} · ${protocol.sources.join(", ")}`),
      protocol.errata.length > 0 &&
        h("details", {}, h("summary", {}, `${protocol.errata.length} errata`), h("ul", { class: "errata" }, protocol.errata.map((/** @type {any} */ erratum) => h("li", {}, erratum.place && h("b", {}, `${erratum.place}: `), erratum.text, erratum.repair && h("span", { class: "hint" }, ` Here: ${erratum.repair}`))))),
      suggested.length > 0 && h("details", {}, h("summary", {}, "Checks of every schedule"), h("p", { class: "suggested" }, suggested.map((/** @type {string} */ line) => h("button", { type: "button", class: "link mono", onclick: follow(line) }, line.replace(/^ringleader /u, ""))))),
    );
  }

  formChanged() {
    this.input.value = this.form.line();
    this.say(null);
  }

  lineChanged() {
    this.fromLine(this.input.value);
  }

  /** Opens what the line says; what takes a while is announced first. */
  run() {
    const line = this.input.value;
    const n = Number(readLine(line).options.get("n")?.[0] ?? 0);
    if (!(n >= ANNOUNCED)) {
      this.openIt({ line });
      return;
    }
    this.say({ message: `Making ${number(n)} processors` }, false);
    requestAnimationFrame(() => setTimeout(() => this.openIt({ line })));
  }

  /**
   * Opens something and closes the dialog; an error is said in it.
   * @param {{line?: string, trace?: string}} what
   * @returns {boolean}
   */
  openIt(what) {
    try {
      this.lab.open(what);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      if (this.dialog.open) this.say(error);
      else this.lab.emit("failed", { message: error.message, advice: error.advice, allowed: error.allowed });
      return false;
    }
    this.dialog.close();
    return true;
  }

  /**
   * Says an error or a state below the form.
   * @param {{message: string, advice?: string, allowed?: string} | null} what
   * @param {boolean} [wrong]
   */
  say(what, wrong = true) {
    fill(this.message, what && h("span", { class: wrong ? "wrong" : null }, errorSentences(what).join(" ")));
  }

  /** @param {HTMLElement} target on which trace files can be dropped */
  takeDrops(target) {
    target.addEventListener("dragover", (event) => {
      event.preventDefault();
      target.dataset.drop = "true";
    });
    target.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) delete target.dataset.drop;
    });
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      delete target.dataset.drop;
      this.readFiles(event.dataTransfer?.files ?? null);
    });
  }

  /** @param {FileList | null} files */
  async readFiles(files) {
    const file = files?.[0];
    if (!file) return;
    const fail = (/** @type {string} */ message, /** @type {string} */ advice) => (this.dialog.open ? this.say({ message, advice }) : this.lab.emit("failed", { message, advice }));
    if (file.size > MAX_TRACE_BYTES) {
      fail(`${file.name} has ${number(Math.round(file.size / (1 << 20)))} MiB`, `the page reads trace files up to 64 MiB; in a terminal: ringleader replay ${file.name}`);
      return;
    }
    this.openIt({ trace: await file.text() });
  }

  toggleCheck() {
    if (this.check) {
      this.stopCheck();
      this.say({ message: "The check was stopped" }, false);
      return;
    }
    this.startCheck(this.form.checkLine(Number(this.size.value)));
  }

  /**
   * Checks every schedule; a counterexample is opened.
   * @param {string} line
   */
  startCheck(line) {
    this.stopCheck();
    this.checkButton.textContent = "Stop the check of";
    this.say({ message: "Checking every schedule" }, false);
    this.check = new CheckWorker(this.lab.engine.module, line, {
      progress: (progress) => this.checked(line, progress),
      failed: (error) => {
        this.stopCheck();
        this.say(error);
      },
    });
  }

  stopCheck() {
    this.check?.stop();
    this.check = null;
    if (this.checkButton) this.checkButton.textContent = "Check every schedule of";
  }

  /**
   * @param {string} line
   * @param {import("./check-worker.js").CheckProgress} progress
   */
  checked(line, progress) {
    if (!this.check) return;
    const cost = `${number(progress.states)} states in ${progress.seconds.toFixed(1)} s`;
    if (!progress.done) {
      this.say({ message: `Checking every schedule: ${cost}` }, false);
      return;
    }
    this.stopCheck();
    const said = (progress.text ?? progress.verdict ?? "").split("\n").filter(Boolean);
    const wrong = said.filter((sentence) => !sentence.endsWith(" holds"));
    if (progress.counterexample && this.openIt({ trace: progress.counterexample })) {
      this.lab.attempt(() => this.lab.toViolation());
      const found = wrong.filter((sentence) => sentence.includes(" violated")).map((sentence) => sentence.replace("safety is violated: ", ""));
      this.lab.emit("told", { message: `Violated: ${found.join("; ")}`, advice: `this is a shortest counterexample, found among ${cost} by ${line}` });
      return;
    }
    const holds = wrong.length === 0 && progress.verdict !== "violated";
    this.say({ message: holds ? `All ${said.length} properties hold in every schedule: ${cost}` : `${wrong.join("; ")} (${cost})`, advice: `repeat it: ${line}` }, !holds);
  }
}
