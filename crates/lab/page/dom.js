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

let last = 0;

/**
 * A new id, for labels.
 * @param {string} stem
 */
export function freshId(stem) {
  last += 1;
  return `${stem}-${last}`;
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
  const run = () => {
    const wait = done + pause() - performance.now();
    if (wait > 0) {
      setTimeout(() => requestAnimationFrame(run), wait);
      return;
    }
    asked = false;
    done = performance.now();
    update();
  };
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(run);
  };
}
