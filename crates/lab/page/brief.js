const FORMAT = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/**
 * A whole number as people read it: 1,234,567.
 * @param {number} value
 * @returns {string}
 */
export const grouped = (value) => FORMAT.format(value);

/**
 * What a message says beyond its kind, in a few letters: what the pictures write beside its line.
 * @param {string} kind
 * @param {string} text
 * @returns {string}
 */
export function brief(kind, text) {
  const rest = text.split(" ").filter((word) => word !== kind && !/^[a-z_-]+$/.test(word)).join(" ");
  return rest.length > 9 ? `${rest.slice(0, 8)}…` : rest;
}
