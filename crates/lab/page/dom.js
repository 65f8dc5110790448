/** Small helpers to make and fill elements. */

/**
 * Makes an element. Properties that begin with `on` are listeners, `class`, `data-…`, `aria-…`, `role` and the like are
 * attributes; null, undefined and false are left out.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...any} children elements, text, arrays of them; null and false are left out
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Fills an element anew.
 * @param {Element} element
 * @param {...any} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

/**
 * Makes an element contain what others are a model of; what is the same already stays, and is not laid out again. For elements
 * without listeners.
 * @param {Element} element
 * @param {...any} children
 */
export function match(element, ...children) {
  const model = document.createElement(element.tagName);
  fill(model, ...children);
  matchNodes(element, model);
}

/** @param {Element} element @param {Element} model */
function matchNodes(element, model) {
  const wanted = [...model.childNodes];
  wanted.forEach((node, index) => {
    const present = element.childNodes[index];
    if (!present) element.append(node);
    else if (present instanceof Text && node instanceof Text) {
      if (present.data !== node.data) present.data = node.data;
    } else if (present instanceof Element && node instanceof Element && sameShell(present, node)) matchNodes(present, node);
    else present.replaceWith(node);
  });
  while (element.childNodes.length > wanted.length) element.lastChild?.remove();
}

/** Whether two elements have the same name and attributes. @param {Element} one @param {Element} other */
const sameShell = (one, other) => one.cloneNode(false).isEqualNode(other.cloneNode(false));

/**
 * Sets the text of an element that has nothing else in it; nothing is laid out again where it is the same.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  const first = element.firstChild;
  if (!(first instanceof Text)) element.textContent = text;
  else if (first.data !== text) first.data = text;
}

const EXACT = new Intl.NumberFormat("en", { maximumFractionDigits: 3 });
const ROUND = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/**
 * A number as people read it: 1,234,567; at most three digits after the point.
 * @param {number | string | null | undefined} value
 */
export function number(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  return (Math.abs(value) >= 100 ? ROUND : EXACT).format(value);
}

/**
 * A word for one or several.
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/**
 * Puts text on the clipboard; where that is not allowed, selects it in the given element.
 * @param {string} text
 * @param {HTMLElement} [shown] where the text stands
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyText(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}

/**
 * A button that copies what a function gives, and says so.
 * @param {string} label
 * @param {() => string} text
 * @param {() => HTMLElement | undefined} [shown] where the text stands
 * @returns {HTMLButtonElement}
 */
export function copyButton(label, text, shown = () => undefined) {
  const button = h("button", { type: "button", class: "btn small copy" }, label);
  button.addEventListener("click", async () => {
    const done = await copyText(text(), shown());
    button.textContent = done ? "Copied" : "Selected";
    setTimeout(() => {
      button.textContent = label;
    }, 1600);
  });
  return button;
}

/**
 * Offers text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} mime
 */
export function download(name, text, mime) {
  const url = URL.createObjectURL(new Blob([text], { type: mime }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/**
 * Makes of an element a panel beside the pictures. It is hidden at first, closes on Escape, gives the focus back to where it was,
 * and gives way to another panel that opens.
 * @param {HTMLElement} element
 * @param {EventTarget} events where panels say that they open
 * @param {string} name for the style sheet
 * @param {() => void} closed what else there is to do when it closes
 */
export function sidePanel(element, events, name, closed) {
  const root = document.documentElement;
  /** @type {any} what had the focus before */
  let opener = null;
  const close = () => {
    if (element.hidden) return;
    element.hidden = true;
    delete root.dataset.teaching;
    opener?.focus();
    closed();
  };
  const open = () => {
    if (element.hidden) opener = document.activeElement;
    events.dispatchEvent(new CustomEvent("teaching", { detail: element }));
    element.hidden = false;
    root.dataset.teaching = name;
  };
  element.hidden = true;
  element.classList.add("teach");
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  });
  events.addEventListener("teaching", (/** @type {any} */ event) => event.detail !== element && close());
  return { open, close };
}

let last = 0;

/**
 * A new id, for labels.
 * @param {string} stem
 */
export function freshId(stem) {
  last += 1;
  return `${stem}-${last}`;
}

/** When so many milliseconds of a frame have passed, what can wait is left for the next one. */
const SPENT = 3;
/** It waits for so many frames at most. */
const MOST_WAITS = 3;

/**
 * A callback of animation frames that gives way, a few times, where others have already taken much of the frame.
 * @param {(at: number) => void} update
 * @returns {(at: number) => boolean} whether it was done, not put off
 */
export function yielding(update) {
  let waits = 0;
  return (at) => {
    if (performance.now() - at > SPENT && waits < MOST_WAITS) {
      waits += 1;
      return false;
    }
    waits = 0;
    update(at);
    return true;
  };
}

/**
 * A function that asks for an update: at most one an animation frame, and at most one every so many milliseconds.
 * @param {() => void} update
 * @param {() => number} [pause] the least milliseconds between two updates
 * @returns {() => void}
 */
export function soon(update, pause = () => 0) {
  let asked = false;
  let done = 0;
  const now = () => {
    asked = false;
    done = performance.now();
    update();
  };
  const later = yielding(now);
  const run = (/** @type {number} */ at) => {
    const least = pause();
    const wait = done + least - performance.now();
    if (wait > 0) setTimeout(() => requestAnimationFrame(run), wait);
    else if (least === 0) now();
    else if (!later(at)) requestAnimationFrame(run);
  };
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(run);
  };
}
