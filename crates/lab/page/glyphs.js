/**
 * The shapes of processors by state, shared by all drawings: every state has a shape of its own beside its colour.
 * A glyph is made for a radius; its middle is the origin.
 */

/** @typedef {{body: string, mark: string, fill: string, edge: string, line: number, dashed: boolean, text: string, size: number}} Glyph */

const round = (/** @type {number} */ x) => Math.round(x * 100) / 100;

/** @param {number} r @param {number} [x] @param {number} [y] */
export const circle = (r, x = 0, y = 0) =>
  `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 1 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 1 ${round(-2 * r)} 0Z`;

/** @param {number[][]} points */
const polygon = (points) => `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}Z`;

/** @param {number} corners @param {number} r @param {number} turn */
const regular = (corners, r, turn) =>
  polygon(Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * i) / corners;
    return [r * Math.sin(angle), -r * Math.cos(angle)];
  }));

/** @param {number} far @param {number} near */
export const star = (far, near) =>
  polygon(Array.from({ length: 10 }, (_, i) => {
    const [r, angle] = [i % 2 ? near : far, (Math.PI * i) / 5];
    return [r * Math.sin(angle), -r * Math.cos(angle)];
  }));

/** @param {number} half @param {number} [x] @param {number} [y] */
const square = (half, x = 0, y = 0) =>
  polygon([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]);

/** A page with a folded corner. @param {number} h */
const page = (h) => polygon([[-h, -h], [h * 0.45, -h], [h, -h * 0.45], [h, h], [-h, h]]);

/** A padlock's shackle on top of a square. @param {number} h */
const shackle = (h) => {
  const [w, top] = [round(h * 0.52), round(-h * 0.98)];
  return `M${-w} ${top}v${round(-h * 0.3)}a${w} ${w} 0 0 1 ${2 * w} 0v${round(h * 0.3)}`;
};

/** A tick in the lower right, where it leaves the name legible. @param {number} r @param {boolean} small */
const tick = (r, small) =>
  small
    ? `M${round(-0.4 * r)} ${round(0.02 * r)}l${round(0.28 * r)} ${round(0.3 * r)}l${round(0.5 * r)} ${round(-0.62 * r)}`
    : `M${round(0.42 * r)} ${round(0.66 * r)}l${round(0.2 * r)} ${round(0.22 * r)}l${round(0.38 * r)} ${round(-0.46 * r)}`;

/**
 * The glyph of a state. Colours are names of theme variables.
 * @param {number} state as frames number it
 * @param {number} r the radius of a processor
 * @returns {Glyph}
 */
export function glyph(state, r) {
  const small = r < 9;
  const thin = small ? Math.max(0.7, r / 6) : 1.6;
  /** @type {Glyph} */
  const plain = { body: circle(r * 0.84), mark: "", fill: "--paper", edge: "--column", line: thin, dashed: false, text: "--ink", size: 1 };
  switch (state) {
    case 0:
      return { ...plain, edge: "--pale", dashed: !small, text: "--pale" };
    case 1:
      return { ...plain, body: circle(r * 0.92), fill: "--ink", edge: "--ink", text: "--paper" };
    case 2:
      return { ...plain, body: circle(r * (small ? 0.5 : 0.62)), fill: "--frame", edge: "--column", size: 0.8 };
    case 3:
      return {
        ...plain, body: star(r * 1.32, r * 0.8), mark: circle(r * 1.72), fill: "--gold", edge: "--leader",
        line: thin * 1.15, text: "--on-gold", size: 0.9,
      };
    case 4:
      return { ...plain, body: circle(r * 0.84), mark: tick(r, small), edge: "--ink" };
    case 5:
      return { ...plain, body: square(r * 0.66), edge: "--pale" };
    case 6:
      return { ...plain, body: regular(4, r * 1.06, 0), fill: "--trying", edge: "--ink", text: "--ink" };
    case 7:
      return {
        ...plain, body: square(r * 0.92), mark: shackle(r * 0.92), fill: "--gold", edge: "--ink", line: thin * 1.4,
        text: "--on-gold",
      };
    case 8:
      return { ...plain, body: page(r * 0.84), fill: "--reader", edge: "--ink", text: "--on-gold" };
    case 9:
      return {
        ...plain, body: page(r * 0.84), mark: `M${round(r * 0.5)} ${round(r * 0.56)}L${round(r * 1.2)} ${round(-r * 0.14)}`,
        fill: "--writer", edge: "--ink", line: thin * 1.2, text: "--on-gold",
      };
    default:
      return { ...plain, body: regular(6, r * 0.86, Math.PI / 6), fill: "--grid", edge: "--pale" };
  }
}

/** The radius of a processor in a state: what must not be overlooked is never small. @param {number} state @param {number} r */
export const radius = (state, r) => (stands(state) ? Math.max(r, 7.5) : r);

/** Whether a state is one that must not be overlooked: the leader, and who is inside. @param {number} state */
export const stands = (state) => state === 3 || (state >= 7 && state <= 9);

/** A crashed processor is crossed out. @param {number} r */
export const cross = (r) => `M${round(-r)} ${round(-r)}L${round(r)} ${round(r)}M${round(r)} ${round(-r)}L${round(-r)} ${round(r)}`;

/** A paused processor has two bars at its upper right. @param {number} r */
export const bars = (r) => `M${round(r * 0.72)} ${round(-r * 1.15)}v${round(r * 0.72)}m${round(r * 0.38)} ${round(-r * 0.72)}v${round(r * 0.72)}`;

/** A message, pointing to the right. @param {number} s half its length */
export const dart = (s) => `M${round(s)} 0L${round(-s * 0.8)} ${round(s * 0.72)}L${round(-s * 0.4)} 0L${round(-s * 0.8)} ${round(-s * 0.72)}Z`;
