/** A form with every option of `run`, made of the catalogue; it keeps a command line, which is what is opened. */

import { quoted, readLine, writeLine } from "./command-line.js";
import { fill, freshId, h } from "./dom.js";

/** The options that a form shows before it is unfolded. */
const USUAL = ["n", "ids", "order", "timing", "r", "d", "wake", "entries", "readers", "writers", "faults", "seed"];

/**
 * An option of `run`, as the catalogue describes it.
 * @typedef {{name: string, group: string, kind: string, choices?: string[], "value-name": string, help: string, problems?: string[]}} RunOption
 */

/** Options that are a parameter of the protocol each, and have fields of their own. */
const PARAMETERS = "set";

/** The form of a run. */
export class RunForm {
  /**
   * @param {RunOption[]} options
   * @param {() => void} changed
   */
  constructor(options, changed) {
    this.options = options;
    this.changed = changed;
    /** @type {any} */
    this.protocol = null;
    /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
    this.fields = new Map();
    /** @type {Map<string, HTMLInputElement>} */
    this.parameters = new Map();
    this.element = h("div", { class: "run-form", oninput: () => this.changed() });
  }

  /**
   * Shows the options of a protocol.
   * @param {any} protocol of the catalogue
   * @param {Map<string, string[]>} values
   */
  show(protocol, values) {
    this.protocol = protocol;
    this.fields.clear();
    this.parameters.clear();
    const suitable = this.options.filter(({ name, problems }) => name !== PARAMETERS && (!problems || problems.includes(protocol.problem)) && (name !== "then" || protocol.tasks));
    const usual = suitable.filter(({ name }) => USUAL.includes(name));
    usual.sort((a, b) => USUAL.indexOf(a.name) - USUAL.indexOf(b.name));
    const others = suitable.filter(({ name }) => !USUAL.includes(name));
    const groups = [...new Set(others.map(({ group }) => group))];
    const folded = [
      this.parameterFields(protocol, values.get(PARAMETERS) ?? []),
      ...groups.map((group) => this.group(group, others.filter((option) => option.group === group), values)),
    ];
    fill(this.element, h("div", { class: "fields" }, usual.map((option) => this.field(option, values))), folded);
  }

  /**
   * @param {string} title
   * @param {RunOption[]} options
   * @param {Map<string, string[]>} values
   */
  group(title, options, values) {
    const used = options.some(({ name }) => values.has(name));
    return h("details", { open: used }, h("summary", {}, title), h("div", { class: "fields" }, options.map((option) => this.field(option, values))));
  }

  /**
   * @param {any} protocol
   * @param {string[]} settings
   */
  parameterFields(protocol, settings) {
    if (protocol.parameters.length === 0) return null;
    const given = new Map(settings.map((setting) => [setting.split("=")[0], setting.slice(setting.indexOf("=") + 1)]));
    const fields = protocol.parameters.map((/** @type {any} */ parameter) => {
      const id = freshId("parameter");
      const list = freshId("values");
      const values = parameter.values.split(/ \| |, with /u).filter((/** @type {string} */ value) => !value.includes(" "));
      const input = h("input", { id, list, type: "text", value: given.get(parameter.name) ?? "", placeholder: parameter.default, spellcheck: "false", autocomplete: "off" });
      this.parameters.set(parameter.name, input);
      return h(
        "div",
        { class: "field" },
        h("label", { for: id }, parameter.name),
        input,
        h("datalist", { id: list }, values.map((/** @type {string} */ value) => h("option", { value }))),
        h("p", { class: "help" }, `${parameter.values}. ${parameter.doc}`),
      );
    });
    return h("details", { open: given.size > 0 }, h("summary", {}, "Parameters of the protocol"), h("div", { class: "fields" }, fields));
  }

  /**
   * @param {RunOption} option
   * @param {Map<string, string[]>} values
   */
  field(option, values) {
    const id = freshId("option");
    const value = (values.get(option.name) ?? []).join(" ");
    const list = freshId("values");
    const suggested = option.kind === "choice" ? [] : (option.choices ?? []);
    const input =
      option.kind === "choice"
        ? h("select", { id }, ["", ...(option.choices ?? [])].map((choice) => h("option", { value: choice, selected: choice === value }, choice || "default")))
        : h("input", { id, type: "text", list: suggested.length > 0 ? list : null, inputmode: option.kind === "number" ? "numeric" : null, value, placeholder: option["value-name"], spellcheck: "false", autocomplete: "off" });
    this.fields.set(option.name, input);
    return h("div", { class: "field", "data-kind": option.kind }, h("label", { for: id }, option.name), input, suggested.length > 0 && h("datalist", { id: list }, suggested.map((choice) => h("option", { value: choice }))), h("p", { class: "help" }, option.help));
  }

  /** What the fields say. @returns {Map<string, string[]>} */
  values() {
    const values = new Map();
    for (const [name, field] of this.fields) {
      const value = field.value.trim();
      if (value !== "") values.set(name, name === "again" ? value.split(/\s+/u) : [value]);
    }
    const settings = [...this.parameters].filter(([, input]) => input.value.trim() !== "").map(([name, input]) => `${name}=${input.value.trim()}`);
    if (settings.length > 0) values.set(PARAMETERS, settings);
    return values;
  }

  /** The command line of a run. */
  line() {
    return writeLine("run", { protocol: this.protocol.name, options: this.values() });
  }

  /**
   * The command line of a check: the options that runs and checks share.
   * @param {number} n
   */
  checkLine(n) {
    const shared = ["topology", "links", "then", "retransmit", PARAMETERS];
    const words = [...this.values()].filter(([name]) => shared.includes(name)).flatMap(([name, values]) => values.map((/** @type {string} */ value) => `--${name} ${quoted(value)}`));
    return ["ringleader check", this.protocol.name, `-n ${n}`, ...words].join(" ");
  }

  /**
   * The protocol and the values of a line.
   * @param {string} line
   */
  static read(line) {
    return readLine(line);
  }
}
