/** The entry of the page: loads the engine, makes the store and the views, and opens what the address says. */

import { Lab, on } from "./app.js";
import { BreakIt } from "./breakit.js";
import { Compare } from "./compare.js";
import { h } from "./dom.js";
import { Engine, LabError, errorSentences } from "./engine.js";
import { Headline } from "./headline.js";
import { Inspector } from "./inspector.js";
import { Keys } from "./keys.js";
import { Presenter } from "./presenter.js";
import { Quiz } from "./quiz.js";
import { Rail } from "./rail.js";
import { Scrubber } from "./scrubber.js";
import { Share } from "./share.js";
import { SpaceTime } from "./spacetime.js";
import { Stage } from "./stage.js";
import { Start } from "./start.js";
import { Tour } from "./tour.js";

/** What the page shows first. */
const FIRST_RUN = "run vitanyi -n 8 --r 2..5 --d 4..12";

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * What a page that was exported carries along: the engine, and what to open.
 * @returns {{wasm?: string, open?: {line?: string, trace?: string, link?: string}, at?: string} | null}
 */
function embedded() {
  const element = document.getElementById("lab-embedded");
  return element === null ? null : JSON.parse(element.textContent ?? "{}");
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;

/**
 * What the address asks for: a link of the lab, or a command line.
 * @returns {{link: string} | {line: string} | null}
 */
function asked() {
  const fragment = location.hash.slice(1);
  if (fragment === "") return null;
  if (/^l\d+\./u.test(fragment)) return { link: fragment };
  const line = decodeURIComponent(fragment.replaceAll("+", " "));
  return /^(ringleader |run )/u.test(line) ? { line } : { link: fragment };
}

/**
 * Opens the first of several wishes that can be opened.
 * @param {Lab} lab
 * @param {(object | null | undefined)[]} wishes
 */
function openFirst(lab, wishes) {
  /** @type {LabError[]} */
  const refused = [];
  for (const wish of wishes) {
    if (!wish) continue;
    try {
      lab.open(wish);
      break;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      refused.push(error);
    }
  }
  // Said last, since what is opened clears what was said before.
  for (const { message, allowed } of refused.slice(0, 1)) lab.emit("failed", { message, allowed });
}

/** @param {Lab} lab */
function makeViews(lab) {
  const stageElement = byId("stage");
  on(lab, "moved", () => {
    const state = lab.position.over ? "over" : "running";
    // Even an attribute that stays the same has styles computed again.
    if (stageElement.dataset.state !== state) stageElement.dataset.state = state;
  });
  const failure = showFailures(lab, byId("failure"));
  const headline = new Headline(document.body, lab);
  const stage = new Stage(stageElement, lab);
  new Scrubber(byId("scrubber"), lab);
  const spaceTime = new SpaceTime(byId("spacetime"), lab);
  // A counterexample stands at its violation: what led there is singled out.
  on(lab, "violation", () => spaceTime.setCone(true));
  new BreakIt(byId("breakit"), lab);
  new Inspector(byId("inspector"), lab);
  new Rail(byId("rail"), lab);
  const share = new Share(byId("share"), lab, stage);
  const start = new Start(byId("start"), lab);
  const compare = new Compare(byId("compare"), lab);
  on(lab, "opened", () => {
    if (compare.shown) compare.hide();
  });
  const presenter = new Presenter();
  headline.menu({ start, share, compare, presenter, tour: new Tour(byId("tour"), lab), quiz: new Quiz(byId("quiz"), lab) });
  new Keys(byId("help"), lab, { headline, start, share, compare, presenter, stage, failure });
}

/**
 * Shows what went wrong, in sentences, until it is closed or something is opened.
 * @param {Lab} lab
 * @param {HTMLElement} element an alert
 */
function showFailures(lab, element) {
  const clear = () => element.replaceChildren();
  on(lab, "opened", clear);
  on(lab, "failed", ({ detail }) => element.replaceChildren(messageText(detail, "failure", clear)));
  on(lab, "told", ({ detail }) => element.replaceChildren(messageText(detail, "failure news", clear)));
  return { clear, shown: () => element.childElementCount > 0 };
}

/**
 * @param {{message: string, advice?: string, allowed?: string}} what
 * @param {string} className
 * @param {() => void} [close]
 */
function messageText(what, className, close) {
  const [first, others] = errorSentences(what);
  return h(
    "div",
    { class: className },
    h("p", {}, h("strong", {}, first), " ", others),
    close && h("button", { type: "button", class: "btn icon", "aria-label": "Close this message", onclick: close }, "×"),
  );
}

/**
 * An error as one that a user can act on.
 * @param {unknown} error
 */
function known(error) {
  return error instanceof LabError ? error : new LabError(`The page has an error: ${error}`, "reload it; if it comes again, please report it");
}

/**
 * An error that nobody caught becomes a sentence, too.
 * @param {Lab} lab
 */
function catchAll(lab) {
  const tell = (/** @type {unknown} */ error) => {
    const { message, advice, allowed } = known(error);
    lab.emit("failed", { message, advice, allowed });
  };
  // Browsers also report here that sizes settle in the next frame only, which is no error.
  addEventListener("error", (event) => event.message.startsWith("ResizeObserver loop") || tell(event.error ?? event.message));
  addEventListener("unhandledrejection", (event) => tell(event.reason));
}

async function begin() {
  const carried = embedded();
  const engine = await Engine.load(carried?.wasm ? { wasm: bytesOf(carried.wasm) } : {});
  const lab = new Lab(engine);
  catchAll(lab);
  makeViews(lab);
  const wish = asked();
  openFirst(lab, [wish, carried?.open, { line: FIRST_RUN }]);
  if (wish === null && carried?.at === "violation") lab.attempt(() => lab.toViolation());
  addEventListener("hashchange", () => {
    const next = asked();
    if (next) lab.attempt(() => lab.open(next));
  });
  Object.assign(globalThis, { lab });
  document.documentElement.dataset.ready = "true";
}

/** @param {unknown} error */
function failed(error) {
  byId("failure").replaceChildren(messageText(known(error), "failure"));
  document.documentElement.dataset.ready = "failed";
  if (!(error instanceof LabError)) throw error;
}

begin().catch(failed);
