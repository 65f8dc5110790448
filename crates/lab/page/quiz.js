/**
 * The quiz: before a step of a processor the learner says what it will do. Whether that is right follows from the record
 * of the step, which is shown afterwards with the rule that fired.
 */

import { counted, fill, h, sidePanel } from "./dom.js";
import { stepText } from "./headline.js";

/** @typedef {import("./app.js").Lab} Lab */

/** What can be picked, in the order of the buttons. */
const PICKS = /** @type {const} */ (["send", "forward", "discard", "decide"]);
/** @typedef {typeof PICKS[number]} Pick */

/** States in which a processor has decided, or is inside: leader, decided, critical, reading, writing. */
const DECIDED = new Set([3, 4, 7, 8, 9]);
/** How many moves are asked for at a time. */
const WINDOW = 2000;
/** Processors up to which they are listed. */
const LISTED = 400;

/** Words of rules that pass a message on, that remove one, that send, and that can end in a decision. */
const RELAYS = /\b(relay|forward|onward|pass (it|that) on)\b/i;
const DISCARDS = /\b(discard|remove) (it|the own)\b/i;
const SENDS = /\bsend\b/i;
const DECIDES = /elected|leader|follow|enter|defeated|return|inaugurate|greatest/i;

/**
 * The rules of a step, without what they say of other settings.
 * @param {any} step
 * @returns {string}
 */
const rulesOf = (step) => step.rules.map((/** @type {any} */ rule) => rule.text.replace(/\([^()]*=[^()]*\)/g, "")).join(" ");

/**
 * What a step does, of what can be picked; nothing if it only waits or remembers.
 * @param {any} step as `window` records it
 * @param {() => boolean} decides whether the processor has decided by this step, or has gone inside
 * @returns {Set<Pick>}
 */
export function actions(step, decides) {
  /** @type {Set<Pick>} */
  const found = new Set();
  const { receives, sends } = step;
  const rules = rulesOf(step);
  const kinds = receives.map((/** @type {any} */ received) => received.kind);
  const same = kinds.length > 0 ? sends.filter((/** @type {any} */ sent) => kinds.includes(sent.kind)) : sends;
  const relayed = RELAYS.test(rules) ? same.length : 0;
  if (relayed > 0) found.add("forward");
  if (sends.length > relayed || (sends.length > 1 && relayed > 0 && SENDS.test(rules))) found.add("send");
  if (kinds.length > 0 && relayed === 0 && (DISCARDS.test(rules) || step.text.includes(": discards it"))) found.add("discard");
  if (DECIDES.test(rules) && decides()) found.add("decide");
  return found;
}

/** The quiz, in its element. */
export class Quiz {
  /**
   * @param {HTMLElement} element
   * @param {Lab} lab
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    /** @type {number | null} whose steps are asked for; null for anybody's */
    this.place = null;
    this.asked = 0;
    this.right = 0;
    /** @type {{step: any, actions: Set<Pick>} | null} the open question */
    this.question = null;
    /** Whether the next question is among the moves that are still to be executed. */
    this.awaiting = false;
    this.panel = sidePanel(element, lab, "quiz", () => {
      this.question = null;
    });
    lab.addEventListener("opened", (/** @type {any} */ event) => this.opened(event.detail));
    lab.addEventListener("ahead", () => this.isOpen && this.awaiting && this.ask());
    lab.addEventListener("selected", () => this.selected());
    lab.addEventListener("moved", () => this.moved());
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Shows the quiz, and asks for the next step. */
  open() {
    this.panel.open();
    this.place = this.lab.selection.processor;
    this.build();
    this.ask();
    this.element.querySelector("h2")?.focus();
  }

  /** Ends the quiz; the run stays. */
  close() {
    this.panel.close();
  }

  /** A new run has a new count. @param {any} detail */
  opened(detail) {
    if (!this.isOpen) return;
    if (!detail.changed) this.asked = this.right = 0;
    this.place = null;
    this.build();
    this.ask();
  }

  /** A processor that is selected is the one that is asked about. */
  selected() {
    const { processor } = this.lab.selection;
    if (!this.isOpen || processor === null || processor === this.place) return;
    this.place = processor;
    this.build();
    this.ask();
  }

  /** A question is void once the run stands elsewhere. */
  moved() {
    if (!this.isOpen || !this.question || this.lab.position.move === this.question.step.move - 1) return;
    this.question = null;
    fill(this.prompt, h("p", {}, "The run has gone on."));
    this.offer("Ask about the next step", () => this.ask());
  }

  build() {
    const inside = this.lab.run.problem !== "election";
    this.prompt = h("div", { class: "quiz-prompt", tabindex: -1 });
    this.result = h("div", { class: "teach-told", role: "status" });
    this.next = h("div", { class: "teach-controls" });
    this.score = h("p", { class: "quiz-score", role: "status" });
    const names = {
      send: ["Send", "a message of its own"], forward: ["Forward", "the message it received"],
      discard: ["Discard", "the message it received"], decide: inside ? ["Enter", "it goes inside"] : ["Decide", "it knows the result"],
    };
    this.picks = h("div", { class: "quiz-picks", role: "group", "aria-label": "What does it do?" },
      PICKS.map((pick) => h("button", { type: "button", class: "btn quiz-pick", "data-pick": pick, onclick: () => this.pick(pick) },
        h("strong", {}, names[pick][0]), h("small", {}, names[pick][1]))));
    this.names = names;
    fill(this.element,
      h("header", { class: "teach-head" },
        h("p", { class: "teach-where" }, "Quiz"),
        h("button", { type: "button", class: "btn icon teach-close", "aria-label": "End the quiz", onclick: () => this.close() }, "×")),
      h("h2", { tabindex: -1 }, "What does it do next?"),
      this.chooser(), this.prompt, this.picks, this.result, this.next, this.score);
    this.count();
  }

  /** Whose steps are asked for. */
  chooser() {
    const { n } = this.lab.run;
    const choose = (/** @type {any} */ event) => {
      this.place = event.target.value === "" ? null : Math.max(0, Math.min(n - 1, Number(event.target.value)));
      this.ask();
    };
    const field = n > LISTED
      ? h("input", { type: "number", min: 0, max: n - 1, value: this.place ?? "", placeholder: "any", onchange: choose })
      : h("select", { onchange: choose }, h("option", { value: "" }, "any processor"),
        Array.from({ length: n }, (_, place) =>
          h("option", { value: place, selected: place === this.place }, this.lab.name(place))));
    return h("label", { class: "quiz-whose" }, "Steps of ", field);
  }

  /** Finds the next step that does something that can be picked, and stands before it. */
  ask() {
    this.question = null;
    // The button that asks for the next question is taken away.
    if (this.next.contains(document.activeElement)) this.prompt.focus();
    fill(this.result);
    fill(this.next);
    this.lab.pause();
    this.lab.attempt(() => {
      const found = this.search(this.lab.position.move + 1);
      // A run that has just been opened is executed in slices.
      this.awaiting = !found && !this.lab.ahead.over;
      if (this.awaiting) return;
      if (!found) {
        fill(this.prompt, h("p", {}, this.place === null ? "The run is over." : `${this.who(this.place)} takes no further step of this kind.`));
        this.enable(false);
        this.offer("Ask again from the start", () => {
          this.lab.go("start");
          this.ask();
        });
        return;
      }
      this.question = found;
      if (this.lab.position.move !== found.step.move - 1) this.lab.go({ move: found.step.move - 1 });
      if (this.lab.selection.processor !== found.step.place && this.place !== null) this.lab.select({ processor: found.step.place });
      fill(this.prompt, h("p", {}, this.event(found.step)), h("p", { class: "quiz-ask" }, "What does it do?"));
      this.enable(true);
    });
  }

  /**
   * @param {number} from the first move to be looked at
   * @returns {{step: any, actions: Set<Pick>} | null}
   */
  search(from) {
    for (let start = from; ;) {
      const { steps, more } = this.lab.request("window", { from: start, to: start + WINDOW - 1 });
      for (const step of steps) {
        if (this.place !== null && step.place !== this.place) continue;
        const done = actions(step, () => this.decides(step));
        if (done.size > 0) return { step, actions: done };
      }
      if (!more || steps.length === 0) return null;
      start = steps[steps.length - 1].move + 1;
    }
  }

  /** Whether a processor has decided by a step, or has gone inside. @param {any} step */
  decides(step) {
    const { lab } = this;
    const states = [step.move - 1, step.move].map((move) => {
      lab.request("go", { to: { move } });
      return lab.engine.frame(lab.openSession()).state[step.place];
    });
    lab.request("go", { to: { move: lab.position.move } });
    return states[0] !== states[1] && DECIDED.has(states[1]);
  }

  /** @param {number} place */
  who(place) {
    const name = this.lab.name(place);
    return name[0].toUpperCase() + name.slice(1);
  }

  /** What happens to the processor, without what it does. @param {any} step */
  event(step) {
    const who = this.who(step.place);
    if (step.receives.length > 0) {
      const named = (/** @type {any} */ { text, from }) => [", ", h("strong", {}, text), ` from ${this.lab.name(from)}`];
      return [`${who} receives `, ...step.receives.flatMap(named).slice(1), "."];
    }
    if (step.cause === "wake") return `${who} wakes.`;
    if (step.cause === "timeout") return `A timer of ${this.lab.name(step.place)} expires.`;
    return `${stepText(step).split(/: |; |\.$/u)[0]}.`;
  }

  /** @param {Pick} pick */
  pick(pick) {
    const { question } = this;
    if (!question) return;
    this.question = null;
    const { step, actions: done } = question;
    const right = done.has(pick);
    this.asked += 1;
    if (right) this.right += 1;
    this.lab.attempt(() => this.lab.step("move", 1));
    for (const button of this.picks.querySelectorAll("button")) {
      const is = done.has(button.dataset.pick);
      button.dataset.state = is ? "right" : button.dataset.pick === pick ? "wrong" : "";
    }
    const words = PICKS.filter((one) => done.has(one)).map((one) => this.names[one][0].toLowerCase());
    fill(this.result,
      h("p", { class: "teach-verdict", "data-right": String(right) },
        right ? (words.length > 1 ? `✓ Right; it does two things: ${words.join(" and ")}.` : "✓ Right.") : `✗ It is: ${words.join(" and ")}.`),
      h("p", {}, stepText(step)),
      step.rules.map((/** @type {any} */ rule) => h("p", { class: "quiz-rule" }, h("strong", {}, `Rule ${rule.number}. `), rule.text)));
    this.enable(false);
    this.count();
    this.offer("Next question", () => this.ask());
  }

  /** @param {boolean} open whether an answer can be given */
  enable(open) {
    for (const button of this.picks.querySelectorAll("button")) {
      button.disabled = !open;
      if (open) delete button.dataset.state;
    }
  }

  /**
   * @param {string} label
   * @param {() => void} action
   */
  offer(label, action) {
    const button = h("button", { type: "button", class: "btn primary quiz-next", onclick: action }, label);
    fill(this.next, button);
    if (this.element.contains(document.activeElement) || document.activeElement === document.body) button.focus();
  }

  count() {
    this.score.textContent = this.asked === 0 ? "No question answered yet." : `${this.right} of ${counted(this.asked, "answer")} right.`;
  }
}
