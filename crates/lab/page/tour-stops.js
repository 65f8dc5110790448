/**
 * What the stops of the tour show, ask and say. Numbers come from the engine while the run is played: a stop names the
 * quantities and formulas that it speaks of, and says which answer is right by looking at the run.
 */

import { counted, number } from "./dom.js";

/**
 * What is known of the run at this moment.
 * @typedef {object} Facts
 * @property {number} n the number of processors
 * @property {any} position where the run stands
 * @property {{phase: number, candidates: number, messages: number}[]} phases
 * @property {{place: number, id: number | null} | null} leader
 * @property {(quantity: string) => number | null} value what is measured
 * @property {(quantity: string, formula: string) => Bound | null} bound what is proved, by its formula
 */

/** @typedef {{quantity: string, kind: string, formula: string, value: number, source: string}} Bound */

/**
 * A line of the table of measured and proved numbers.
 * @typedef {object} Row
 * @property {string} label
 * @property {number | null} measured
 * @property {string} relation `≤`, `=`, or words
 * @property {number | null} proved
 * @property {string} formula
 * @property {string} source
 */

/**
 * A stop.
 * @typedef {object} Stop
 * @property {string} key
 * @property {string} title
 * @property {string} line the run, as a command
 * @property {number} speed
 * @property {string[]} scene what is to be known before the question
 * @property {string} question
 * @property {{text: string, right: (facts: Facts) => boolean}[]} answers
 * @property {(facts: Facts) => boolean} settled whether the run has shown the answer
 * @property {(facts: Facts) => Row[]} rows
 * @property {(facts: Facts) => string[]} why
 * @property {boolean} [rounds] whether the candidates left in each phase are listed
 * @property {{title: string, quantity: string, runs: {label: string, line: string}[]}} [others] other runs, measured too
 */

const WORST = "≤";
const EXACT = "=";
const MEAN = "on average at most";

/**
 * A line about a quantity and the bound of this formula.
 * @param {Facts} facts
 * @param {string} label
 * @param {string} relation
 * @param {string} quantity
 * @param {string} formula
 * @returns {Row}
 */
function row(facts, label, relation, quantity, formula) {
  const bound = facts.bound(quantity, formula);
  return {
    label, relation, measured: facts.value(quantity), proved: bound?.value ?? null, formula, source: bound?.source ?? "",
  };
}

/** H_N = 1 + 1/2 + … + 1/N. @param {number} n */
const harmonic = (n) => Array.from({ length: n }, (_, i) => 1 / (i + 1)).reduce((sum, x) => sum + x, 0);

const over = (/** @type {Facts} */ facts) => facts.position.over;
const elected = (/** @type {number} */ id) => (/** @type {Facts} */ facts) => facts.leader?.id === id;
const takes = (/** @type {string} */ quantity, /** @type {number} */ count) => (/** @type {Facts} */ facts) =>
  facts.value(quantity) === count;
const left = (/** @type {number} */ count) => (/** @type {Facts} */ facts) =>
  facts.phases.find((phase) => phase.phase === 2)?.candidates === count;

/** @type {Stop[]} */
export const STOPS = [
  {
    key: "election",
    title: "What an election is",
    line: "run chang-roberts --ids 3,1,4,2",
    speed: 1,
    scene: [
      "Four processors form a ring. Each has an identity of its own, does not know the others, and sends only to its clockwise neighbour. An election ends with exactly one leader, whom all others know.",
      "All four run the same program, by Chang and Roberts: send your identity; pass on an identity greater than your own; discard a smaller one; if your own identity comes back, you are the leader.",
    ],
    question: "Clockwise the identities are 3, 1, 4 and 2. Who is elected?",
    answers: [3, 1, 4, 2].map((id) => ({ text: `The processor with identity ${id}`, right: elected(id) })),
    settled: over,
    rows: (facts) => [
      row(facts, "Candidate messages", WORST, "messages.election", "N(N+1)/2"),
      row(facts, "Announcements", EXACT, "messages.announcement", "N"),
    ],
    why: (facts) => [
      "Whoever receives a smaller identity than its own discards it. Nobody discards the greatest one, so that only the greatest makes a full turn.",
      `Identity ${facts.leader?.id ?? "–"} came back to place ${facts.leader?.place ?? "–"}, after ${counted(facts.value("messages.election") ?? 0, "candidate message")} in all. One more turn of ${counted(facts.value("messages.announcement") ?? 0, "message")} let everybody know.`,
    ],
  },
  {
    key: "square",
    title: "Why N²",
    line: "run chang-roberts -n 12 --order descending",
    speed: 2,
    scene: [
      "The same program on twelve processors, which all start together. Clockwise, every identity is followed by the next smaller one: 12, 11, 10 and so on to 1.",
      "An identity travels until it meets a greater one, or its owner.",
    ],
    question: "How many candidate messages does this election take?",
    answers: [
      { text: "12: each identity travels one link", right: takes("messages.election", 12) },
      { text: "23: the greatest makes a full turn, the others travel one link", right: takes("messages.election", 23) },
      { text: "78: each identity travels further than the next smaller one", right: takes("messages.election", 78) },
      { text: "144: each identity makes a full turn", right: takes("messages.election", 144) },
    ],
    settled: over,
    rows: (facts) => [
      row(facts, "Candidate messages", WORST, "messages.election", "N(N+1)/2"),
      row(facts, "Announcements", EXACT, "messages.announcement", "N"),
    ],
    why: (facts) => {
      const mean = facts.bound("messages.election", "N H_N");
      return [
        "Each identity meets only smaller ones until it comes to place 0, which has the greatest. Identity k starts k links before place 0, so that k messages carry it: 1 + 2 + … + N = N(N+1)/2 in all. Twice the processors, about four times the messages: this is what N² means.",
        `No order takes more. In ascending order all but the greatest identity are discarded after one link. Over all orders the mean is N·H(N), with H(N) = 1 + 1/2 + … + 1/N: here ${number(mean?.value)}.`,
      ];
    },
    others: {
      title: "Candidate messages in other orders",
      quantity: "election",
      runs: [
        { label: "ascending", line: "run chang-roberts -n 12 --order ascending" },
        { label: "random, seed 1", line: "run chang-roberts -n 12 --order random --seed 1" },
        { label: "random, seed 2", line: "run chang-roberts -n 12 --order random --seed 2" },
      ],
    },
  },
  {
    key: "logarithm",
    title: "Why N log N",
    line: "run peterson -n 32 --order bit-reversal --set elected=holder",
    speed: 8,
    scene: [
      "Peterson's election goes on in rounds. An active processor learns the identities of the two active ones before it. If the nearer of them is the greatest of the three, counting its own, it goes on under that identity. Otherwise it turns passive, and only passes messages on.",
      "A round takes two messages on each link. These 32 identities stand in the order that makes it last longest.",
    ],
    question: "In the first round 32 are active. How many are active in the second?",
    answers: [
      { text: "31", right: left(31) },
      { text: "24", right: left(24) },
      { text: "16", right: left(16) },
      { text: "1", right: left(1) },
    ],
    settled: over,
    rounds: true,
    rows: (facts) => [
      row(facts, "Election messages", WORST, "messages.election", "2N floor(log2 N) + N"),
      row(facts, "Rounds", WORST, "phases", "floor(log2 N) + 1"),
    ],
    why: (facts) => [
      "Of two neighbours among the active processors, only one can have the greater identity. So at most half of the identities survive a round, and the greatest always does.",
      `After at most log N halvings, to base 2, one is left. Each of those rounds takes 2N messages, and one last turn of N finds the winner: ${number(facts.value("messages.election"))} here, which is the proved maximum of 2N log N + N. (The messages counted in the last round are this turn and the announcement.) Twice the processors: somewhat more than twice the messages.`,
    ],
    others: {
      title: "Election messages of others, 32 processors",
      quantity: "election",
      runs: [
        { label: "Chang and Roberts, their worst order", line: "run chang-roberts -n 32 --order descending" },
        { label: "Peterson, random order", line: "run peterson -n 32 --set elected=holder --seed 1" },
      ],
    },
  },
  {
    key: "clocks",
    title: "How clocks break that bound",
    line: "run vitanyi -n 160 --seed 1",
    speed: 64,
    scene: [
      "Without clocks there is a limit: on a one-way ring of unknown size, elections that only compare identities take at least N·H(N) messages on average over all orders, as Pachl, Korach and Rotem have proved.",
      `For 160 processors this limit is about ${Math.round(160 * harmonic(160))}.`,
      "Vitányi gives the processors clocks, and lets the smallest identity win. The message of identity i waits 2^i ticks at every processor that it comes to before it goes on; smaller identities overtake it and put an end to it. Here all clocks tick alike, and links take no time.",
    ],
    question: "How many messages does this election take, wake-ups and announcement included?",
    answers: [
      { text: "12,880: N(N+1)/2, as if nobody waited", right: takes("messages.total", 12880) },
      { text: "1,600: about 10 for each processor", right: takes("messages.total", 1600) },
      { text: "905: as many as the limit says", right: takes("messages.total", 905) },
      { text: "672: about 4 for each processor", right: takes("messages.total", 672) },
    ],
    settled: over,
    rows: (facts) => [
      row(facts, "All messages", WORST, "messages.total", "4N - 1 + 3Nu/(2m)"),
      row(facts, "Wake-ups", EXACT, "messages.by_kind.wakeup", "N"),
      row(facts, "Announcements", EXACT, "messages.by_kind.sleepwell", "N"),
      row(facts, "Time", WORST, "time", "Nu(2^l + 2)"),
    ],
    why: (facts) => {
      const bound = facts.bound("messages.total", "4N - 1 + 3Nu/(2m)");
      return [
        `Messages that lose hardly move, while the winner's crosses every link. The proved maximum over all orders is ${number(bound?.value)} here, and grows as N; the limit without clocks is ${number(Math.round(facts.n * harmonic(facts.n) * 10) / 10)} on average, and grows as N log N.`,
        `The price is time: ${number(facts.value("time"))} units. If the smallest identity were l instead of 1, it could be N(2^l + 2). Clocks decide only the cost: whatever they do, the smallest identity wins.`,
      ];
    },
    others: {
      title: "All messages on the same ring, without clocks",
      quantity: "total",
      runs: [
        { label: "Chang and Roberts", line: "run chang-roberts -n 160 --seed 1" },
        { label: "Peterson", line: "run peterson -n 160 --seed 1" },
      ],
    },
  },
  {
    key: "coins",
    title: "Coins on an anonymous ring",
    line: "run itai-rodeh -n 6 --seed 29",
    speed: 2,
    scene: [
      "Now nobody has an identity. Six processors run the same program, are in the same state, and start at the same moment; all messages take equally long. They do know that they are six.",
    ],
    question: "Is there a program without randomness that always elects exactly one of them?",
    answers: [
      { text: "Yes, since they know how many they are", right: () => false },
      { text: "Yes, but it takes N² messages", right: () => false },
      { text: "No: whatever one of them does, all of them do", right: () => true },
      { text: "Only on rings with an odd number of processors", right: () => false },
    ],
    settled: over,
    rows: (facts) => [
      row(facts, "Rounds", MEAN, "phases", "ids^N/(N (1^(N-1) + 2^(N-1) + … + (ids-1)^(N-1)))"),
      row(facts, "Tokens", MEAN, "messages.election", "N (H_N + 2)"),
      row(facts, "Announcements", EXACT, "messages.announcement", "N"),
    ],
    why: (facts) => {
      const rounds = facts.value("phases") ?? 1;
      return [
        "Without randomness they all take the same step at the same moment, again and again: nobody is elected, or all six are (Angluin 1980). So Itai and Rodeh let them draw. Each draws a number and sends it round in a token that counts its hops; smaller ones are discarded. After six hops a token is home, and a mark in it tells whether somebody else drew the same. Those who share the greatest number draw again.",
        `This run took ${counted(rounds, "round")}: in ${rounds - 1} of them the greatest number was drawn more than once. A single run may take more rounds than the mean, and any number of them; with probability 1 it ends, and then with exactly one leader.`,
      ];
    },
    others: {
      title: "Tokens with other seeds",
      quantity: "election",
      runs: [1, 2, 3].map((seed) => ({ label: `seed ${seed}`, line: `run itai-rodeh -n 6 --seed ${seed}` })),
    },
  },
  {
    key: "lock",
    title: "The printed lock that lets two in",
    line: "run spirakis-tampakas-mutex --ids 1,2 --wake-at 1,0 --r 1 --d 1 --entries 1 --set rules=printed",
    speed: 0.5,
    scene: [
      "A lock has to keep two sites from being in the critical section at once. Spirakis and Tampakas saved messages by a promise about time: an answer takes no longer than a known window, and silence until its end means consent.",
      "As printed in 1989: a site that wants to enter takes a number above all that it has seen, sleeps for a while, then asks the others and listens for the window. A site says no only if it has asked itself and goes first: the smaller number does, or the smaller identity if the numbers are equal. A sleeping site says nothing.",
    ],
    question: "Two sites want to enter, one time unit after each other. What happens?",
    answers: [
      { text: "They enter one after the other", right: (facts) => facts.position.over && facts.position.violations === 0 },
      { text: "Both wait for each other, and nobody enters", right: () => false },
      { text: "Both are inside at the same time", right: (facts) => facts.position.violations > 0 },
    ],
    settled: (facts) => facts.position.violations > 0 || facts.position.over,
    rows: (facts) => [
      {
        label: "Sites inside", relation: WORST, measured: facts.position.inside, proved: 1, formula: "1",
        source: "mutual exclusion",
      },
    ],
    why: () => [
      "Both took number 1. Identity 2 asked first, while identity 1 slept, and heard nothing. Then identity 1 asked: with the same number and the smaller identity it goes first, so that identity 2 said nothing either. Each took the silence for consent.",
      "The number was drawn too early: while a site sleeps, nobody knows the number it holds. Drawn after the sleep, in the same step as the questions, it is above every number that the site has been asked with, and whoever has asked before answers. This is the repaired rule.",
    ],
    others: {
      title: "Most sites inside at once, same scenario",
      quantity: "inside",
      runs: [
        {
          label: "rules as printed",
          line: "run spirakis-tampakas-mutex --ids 1,2 --wake-at 1,0 --r 1 --d 1 --entries 1 --set rules=printed",
        },
        {
          label: "number drawn after the sleep",
          line: "run spirakis-tampakas-mutex --ids 1,2 --wake-at 1,0 --r 1 --d 1 --entries 1",
        },
      ],
    },
  },
];
