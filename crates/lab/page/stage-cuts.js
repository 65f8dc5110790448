/** Links that are cut: how they are drawn over the links of a stage. */

import { Path } from "./layout.js";

/** @typedef {import("./layout.js").Layout} Layout */

/** Points of a curve between its ends. */
const POINTS = 8;
/** The share of a link that is missing in its middle. */
const GAP = 0.24;

/** @param {number} value */
const at = (value) => Math.round(value * 10) / 10;

/** @param {Path} path @param {number} from @param {number} to */
function curve(path, from, to) {
  let d = "";
  for (let point = 0; point <= POINTS; point++) {
    path.at(from + ((to - from) * point) / POINTS);
    d += `${point === 0 ? "M" : "L"}${at(path.x)} ${at(path.y)}`;
  }
  return d;
}

/**
 * The paths of links that are cut: all of each link, which covers it, and what is left on both sides of the gap.
 * @param {Layout} layout
 * @param {[number, number][]} cuts
 * @returns {{whole: string, ends: string, width: number}}
 */
export function cutPaths(layout, cuts) {
  const path = new Path();
  const { lane } = layout;
  let [whole, ends] = ["", ""];
  layout.lane = 0;
  for (const [one, other] of cuts) {
    path.set(layout, one, other, 0);
    whole += curve(path, 0, 1);
    ends += curve(path, 0, (1 - GAP) / 2) + curve(path, (1 + GAP) / 2, 1);
  }
  layout.lane = lane;
  return { whole, ends, width: layout.ring ? 2 * lane + 8 : 3 };
}

/** What tells two lists of cuts apart. @param {[number, number][]} cuts */
export const cutKey = (cuts) => cuts.map((ends) => ends.join("-")).join();
