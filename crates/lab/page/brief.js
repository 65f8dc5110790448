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
