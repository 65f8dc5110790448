/** Command lines of `run` as data: what a form shows, and back. The engine is the one that judges them. */

/**
 * A run as a command line says it: the protocol, and for each option its values.
 * @typedef {{protocol: string, options: Map<string, string[]>}} Said
 */

/** Options that may be given several times; of all others the last counts. */
const REPEATED = new Set(["set", "again"]);

/**
 * The words of a line, as a shell divides it.
 * @param {string} line
 * @returns {string[]}
 */
export function shellWords(line) {
  const words = [];
  for (const [, single, double, bare] of line.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/gu)) words.push(single ?? double ?? bare);
  return words;
}

/**
 * A word as a shell takes it.
 * @param {string} word
 */
export function quoted(word) {
  return /^[\w@%+=:,./^-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Reads a line of `ringleader run`.
 * @param {string} line
 * @returns {Said}
 */
export function readLine(line) {
  const words = shellWords(line.trim());
  if (words[0] === "$") words.shift();
  if (words[0] === "ringleader") words.shift();
  if (words[0] === "run") words.shift();
  /** @type {Said} */
  const said = { protocol: "", options: new Map() };
  while (words.length > 0) {
    const word = /** @type {string} */ (words.shift());
    if (!/^-{1,2}[a-z]/u.test(word)) {
      said.protocol ||= word;
      continue;
    }
    const [, name, value] = /** @type {RegExpExecArray} */ (/^-{1,2}([a-z-]+)(?:=(.*))?$/u.exec(word) ?? [word, word.replace(/^-+/u, ""), undefined]);
    const values = REPEATED.has(name) ? (said.options.get(name) ?? []) : [];
    said.options.set(name, [...values, value ?? words.shift() ?? ""]);
  }
  return said;
}

/**
 * Writes a line of a command.
 * @param {string} command
 * @param {Said} said
 */
export function writeLine(command, { protocol, options }) {
  const words = ["ringleader", command, protocol];
  for (const [name, values] of options) {
    for (const value of values) if (value !== "") words.push(name === "n" ? "-n" : `--${name}`, quoted(value));
  }
  return words.join(" ");
}
