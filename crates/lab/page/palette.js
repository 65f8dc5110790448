/**
 * Colours of the theme: kinds of messages as CSS, and resolved values for canvases.
 * @typedef {{name: string, part: string, style: number, colour: {light: string, dark: string}, dashes: string}} Kind
 */

/** The part of a processor in its protocol, by its number in frames. */
export const STATES = [
  "asleep", "active", "passive", "leader", "decided", "remainder", "trying", "critical", "reading", "writing", "cell",
];

/** What people call the states. */
export const STATE_WORDS = [
  "asleep", "active", "passive", "leader", "decided", "remainder", "trying", "in its critical section", "reading",
  "writing", "cell",
];

/**
 * The colour of a kind of messages as CSS, in both themes.
 * @param {Kind | undefined} kind
 * @returns {string}
 */
export function kindColour(kind) {
  return kind ? `light-dark(${kind.colour.light}, ${kind.colour.dark})` : "var(--pale)";
}

/**
 * `stroke-dasharray` of a kind, as numbers; empty for a solid line.
 * @param {Kind | undefined} kind
 * @returns {number[]}
 */
export function kindDashes(kind) {
  return kind?.dashes ? kind.dashes.split(/[ ,]+/).map(Number) : [];
}

/** Resolved colours of an element's theme, read again when the theme changes. */
export class Palette {
  /** @param {Element} element whose style is read */
  constructor(element) {
    this.element = element;
    /** @type {Map<string, string>} */
    this.known = new Map();
    this.style = getComputedStyle(element);
  }

  /** Forgets all values: the theme has changed. */
  refresh() {
    this.known.clear();
  }

  /** Whether the theme is the dark one. */
  get dark() {
    let scheme = this.known.get("color-scheme");
    if (scheme === undefined) {
      scheme = this.style.colorScheme;
      this.known.set("color-scheme", scheme);
    }
    return scheme === "dark";
  }

  /**
   * The colour of a kind of messages.
   * @param {Kind | undefined} kind
   * @returns {string}
   */
  kind(kind) {
    return kind ? kind.colour[this.dark ? "dark" : "light"] : this.get("--pale");
  }

  /**
   * The value of a variable such as `--ink`.
   * @param {string} name
   * @returns {string}
   */
  get(name) {
    let value = this.known.get(name);
    if (value === undefined) {
      value = this.style.getPropertyValue(name).trim() || "#808080";
      this.known.set(name, value);
    }
    return value;
  }
}

/**
 * Calls back whenever the theme changes, by the toggle or by the system.
 * @param {() => void} changed
 * @returns {() => void} stops it
 */
export function onTheme(changed) {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  media.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", changed);
  };
}

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Whether the reader prefers that nothing glides.
 * @returns {boolean}
 */
export const reducedMotion = () => reduced.matches;
