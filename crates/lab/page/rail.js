/**
 * What is measured beside what is proved, at this moment: bars that fill towards their bounds, lamps for the properties,
 * and a table by phase, which says the same in text.
 */

import { on } from "./app.js";
import { fill, h, match, number, soon } from "./dom.js";

/** @typedef {{quantity: string, kind: string, formula: string, value: number, text: string, source: string, counts: string, measured: number | null, judged: boolean | null, fill: number | null}} Bound */

/** The sign between a measured value and its bound, by the kind of the bound. */
const SIGNS = { worst: "≤", exact: "=", best: "≥", mean: "mean" };

/** How long a bar is, its bound being 1: what exceeds it must be seen. */
const ROOM = 1.05;

/** Which quantities come first. */
const FIRST = ["messages.election", "messages.total", "messages_per_entry", "messages.by_kind", "messages.announcement", "bits", "time"];

/**
 * What people call a quantity.
 * @param {string} quantity
 */
export function quantityWords(quantity) {
  const kind = /^messages\.by_kind\.(.+)$/u.exec(quantity);
  if (kind) return kind[1] === "message" ? "messages of kind message" : `${kind[1]} messages`;
  const known = {
    "messages.total": "messages",
    "messages.election": "messages before the announcement",
    "messages.announcement": "messages of the announcement",
    messages_per_entry: "messages per entry",
    "time_elected - time_awake": "time from the last wake-up to the election",
    "time - time_elected": "time of the announcement",
    time_elected: "time of the election",
    time_awake: "time until all are awake",
    depth: "longest causal chain",
  }[quantity];
  const part = /^messages\.(.+)$/u.exec(quantity);
  return known ?? (part ? `messages of the ${part[1]}` : quantity.replaceAll("_", " ").replaceAll(".", ": "));
}

/** What people call a quantity among others. @param {string} quantity */
const shortWords = (quantity) => (quantity.startsWith("messages.by_kind.") ? quantity.slice("messages.by_kind.".length) : quantityWords(quantity));

/** @param {string} quantity */
const rank = (quantity) => {
  const at = FIRST.findIndex((first) => quantity.startsWith(first));
  return at < 0 ? FIRST.length : at;
};

/**
 * Whether one bound says more than another: bounds of every run before means, then the lower.
 * @param {Bound} one
 * @param {Bound} other
 */
function sharper(one, other) {
  const weight = (/** @type {Bound} */ bound) => ["exact", "worst", "best", "mean"].indexOf(bound.kind);
  const [a, b] = [weight(one), weight(other)];
  if (a !== b && (a > 1 || b > 1)) return a - b;
  return one.value - other.value;
}

/** How a bound stands: `good`, `bad`, `open` or `mean`, for its colour. @param {Bound} bound */
function standing(bound) {
  if (bound.kind === "mean") return "mean";
  if (bound.judged === false) return "bad";
  return bound.judged === true ? "good" : "open";
}

/** @typedef {{property: string, state: "holds" | "violated" | "open", detail?: string}} Lamp */

const LIGHTS = { holds: "✓", violated: "✗", open: "○" };
const LIGHT_WORDS = { holds: "holds", violated: "violated", open: "not violated so far" };

/** A property with its light. @param {Lamp} lamp */
function lampItem({ property, state, detail }) {
  return h(
    "li",
    { class: `lamp ${state}`, title: LIGHT_WORDS[state] },
    h("span", { class: `light ${state}`, "aria-hidden": "true" }, LIGHTS[state]),
    h("span", {}, property, h("span", { class: "visually-hidden" }, `: ${LIGHT_WORDS[state]}`), state === "violated" && detail && h("span", { class: "detail" }, detail)),
  );
}

/** A bar that fills towards a bound. */
class BoundBar {
  /** @param {Bound} bound */
  constructor(bound) {
    this.bound = bound;
    const words = quantityWords(bound.quantity);
    this.measured = h("span", { class: "measured" });
    this.limit = h("span", { class: "limit" });
    this.mark = h("span", { class: "mark" });
    this.filled = h("span", { class: "filled" });
    this.tick = h("span", { class: "bound-tick" });
    this.meter = h("span", { class: "meter", role: "meter", "aria-label": `${words}, bound ${bound.formula}`, "aria-valuemin": 0 }, this.filled, this.tick);
    this.element = h(
      "div",
      { class: "bound", title: bound.counts || null },
      this.meter,
      h("p", { class: "values" }, this.measured, " ", this.limit, " ", this.mark, " ", h("cite", {}, bound.source)),
      h("p", { class: "formula" }, bound.formula),
    );
    this.shown = "";
    this.show(bound);
  }

  /** @param {Bound} bound */
  show(bound) {
    const shown = `${bound.measured} ${bound.judged}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const state = standing(bound);
    const part = Math.max(0, bound.fill ?? 0);
    const scale = Math.max(ROOM, part);
    this.filled.style.transform = `scaleX(${part / scale})`;
    this.tick.style.insetInlineStart = `${100 / scale}%`;
    this.element.dataset.standing = state;
    this.mark.textContent = { good: "✓", bad: "✗", open: "", mean: "" }[state];
    this.mark.className = `mark ${state}`;
    this.measured.textContent = number(bound.measured);
    // As long as a run goes on, it has not yet what it must have exactly at its end.
    const sign = bound.kind === "exact" && state === "open" ? "of" : SIGNS[/** @type {keyof typeof SIGNS} */ (bound.kind)];
    this.limit.textContent = `${sign} ${number(bound.value)}`;
    this.meter.setAttribute("aria-valuemax", String(Math.max(bound.value, bound.measured ?? 0)));
    this.meter.setAttribute("aria-valuenow", String(bound.measured ?? 0));
    this.meter.setAttribute("aria-valuetext", `${number(bound.measured)} of ${number(bound.value)}`);
  }
}

/** The rail beside the stage. */
export class Rail {
  /**
   * @param {HTMLElement} element
   * @param {import("./app.js").Lab} lab
   */
  constructor(element, lab) {
    this.lab = lab;
    /** @type {BoundBar[]} */
    this.bars = [];
    /** @type {Map<string, string>} the data of each part as they are shown */
    this.shown = new Map();
    this.outcome = h("p", { class: "outcome" });
    this.lamps = h("div", { class: "lamps", role: "group", "aria-label": "Properties at this moment" });
    this.counters = h("dl", { class: "counters" });
    this.bounds = h("div", { class: "bounds" });
    this.phases = h("div", { class: "phases" });
    element.append(
      h("h2", {}, "Measured against proved"),
      h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Measured against proved" }, this.outcome, this.lamps, this.counters, this.bounds, this.phases),
    );
    const update = soon(() => lab.attempt(() => this.update()), () => (lab.playing ? 200 : 0));
    on(lab, "opened moved", update);
  }

  update() {
    if (this.lab.session === null) return;
    const rail = this.lab.request("rail");
    this.showOutcome(rail);
    this.ifNew("lamps", rail.lamps, () => this.showLamps(rail.lamps));
    this.ifNew("counters", rail.measured, () => this.showCounters(rail.measured));
    this.showBounds(rail.bounds);
    const bound = rail["phase-bound"];
    this.ifNew("phases", [rail.phases, bound], () => this.showPhases(rail.phases ?? [], bound));
  }

  /**
   * Shows a part if its data have changed.
   * @param {string} part
   * @param {unknown} data
   * @param {() => void} show
   */
  ifNew(part, data, show) {
    const text = JSON.stringify(data);
    if (this.shown.get(part) === text) return;
    this.shown.set(part, text);
    show();
  }

  /** @param {any} rail */
  showOutcome(rail) {
    const words = { held: "held", violated: "violated", unknown: "open" }[/** @type {string} */ (rail.verdict)] ?? rail.verdict;
    fill(this.outcome, h("span", { class: `verdict ${words}` }, words), " ", rail.outcome);
  }

  /**
   * Properties: a row of lights and how they stand, those violated one by one, the others behind a fold.
   * @param {Lamp[]} lamps
   */
  showLamps(lamps) {
    const violated = lamps.filter(({ state }) => state === "violated");
    const others = lamps.filter(({ state }) => state !== "violated");
    const holding = lamps.filter(({ state }) => state === "holds").length;
    const told = [violated.length > 0 ? `${violated.length} violated` : holding < lamps.length ? "none violated so far" : "", holding > 0 ? `${holding === lamps.length ? "all" : holding} hold` : ""];
    const open = this.lamps.querySelector("details")?.open ?? false;
    fill(
      this.lamps,
      violated.length > 0 && h("ul", {}, violated.map(lampItem)),
      h(
        "details",
        { open },
        h("summary", {}, h("span", { class: "lights", "aria-hidden": "true" }, lamps.map(({ state }) => h("span", { class: `light ${state}` }, LIGHTS[state]))), ` ${lamps.length} properties: ${told.filter(Boolean).join(", ")}`),
        h("ul", {}, others.map(lampItem)),
      ),
    );
  }

  /** @param {{quantity: string, value: number, text: string}[]} measured */
  showCounters(measured) {
    // Large numbers need wider columns.
    this.counters.classList.toggle("large", measured.some(({ value }) => number(value).length > 8));
    match(
      this.counters,
      measured.map(({ quantity, value }) => h("div", {}, h("dt", {}, shortWords(quantity)), h("dd", {}, number(value)))),
    );
  }

  /** @param {Bound[]} bounds */
  showBounds(bounds) {
    const shape = bounds.map(({ quantity, kind, formula, value }) => [quantity, kind, formula, value]);
    this.ifNew("bounds", shape, () => this.buildBounds(bounds));
    for (const [index, bar] of this.bars.entries()) bar.show(bounds[index]);
  }

  /** @param {Bound[]} bounds */
  buildBounds(bounds) {
    this.bars = bounds.map((bound) => new BoundBar(bound));
    const quantities = [...new Set(bounds.map(({ quantity }) => quantity))].sort((a, b) => rank(a) - rank(b));
    fill(
      this.bounds,
      quantities.map((quantity) => {
        const bars = this.bars.filter(({ bound }) => bound.quantity === quantity).sort((a, b) => sharper(a.bound, b.bound));
        const [first, ...others] = bars;
        return h(
          "section",
          { class: "quantity" },
          h("h3", {}, quantityWords(quantity)),
          first.element,
          others.length > 0 && h("details", {}, h("summary", {}, others.length === 1 ? "another bound" : `${others.length} more bounds`), others.map((bar) => bar.element)),
        );
      }),
      bounds.length === 0 && h("p", { class: "hint" }, "No bound applies to this run."),
    );
  }

  /**
   * @param {{phase: number, candidates: number | null, messages: number | null, bound?: number | null}[]} phases
   * @param {{formula: string, source: string, counts: string} | undefined} proved
   */
  showPhases(phases, proved) {
    if (phases.length === 0) {
      fill(this.phases);
      return;
    }
    const bounded = phases.some(({ bound }) => bound !== undefined && bound !== null);
    const rows = phases.map(({ phase, candidates, messages, bound }) =>
      h("tr", {}, h("th", { scope: "row" }, number(phase)), h("td", {}, number(candidates)), h("td", {}, number(messages)), bounded && h("td", {}, bound == null ? "–" : `≤ ${number(bound)}`)),
    );
    match(
      this.phases,
      h(
        "table",
        {},
        h("caption", {}, "By phase"),
        h("thead", {}, h("tr", {}, ["phase", "candidates", "messages", ...(bounded ? ["bound"] : [])].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, rows),
      ),
      bounded && proved && h("p", { class: "hint" }, `Bound: ${proved.formula}; ${proved.counts} (${proved.source}).`),
    );
  }
}
