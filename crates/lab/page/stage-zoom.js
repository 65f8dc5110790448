/**
 * The magnifier of a stage: wheel, two fingers, keys and buttons change the scale; what is magnified is moved by dragging and by
 * keys. Nothing glides, so that it is the same for readers who prefer reduced motion.
 */

import { h } from "./dom.js";

/** What a key or a button multiplies the scale by. */
const STEP = 1.5;
/** The share of the view by which a key moves it. */
const SHIFT = 0.15;
/** A pointer that moves farther drags; until then it clicks. */
const SLACK = 4;
/** What is selected is kept so far from the border. */
const BORDER = 48;
/** The keys of the magnifier, and how they move what is shown. */
const SHIFTS = new Map(Object.entries({ h: [1, 0], j: [0, -1], k: [0, 1], l: [-1, 0] }));

const ICONS = { out: "M4 10h12", in: "M4 10h12M10 4v12", fit: "M3.500 7.500v-4h4M12.500 3.500h4v4M16.500 12.500v4h-4M7.500 16.500h-4v-4" };

/** @param {string} path */
function icon(path) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("viewBox", "0 0 20 20");
  made.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}

/** Where the drawing of a stage lies in its view: a point p of the drawing is shown at scale · p + (x, y). */
export class StageZoom {
  /**
   * @param {HTMLElement} view
   * @param {() => void} changed
   * @param {() => number[] | null} middle the point of the drawing that matters now
   */
  constructor(view, changed, middle) {
    this.view = view;
    this.changed = changed;
    this.middle = middle;
    this.scale = 1;
    this.x = this.y = 0;
    this.width = this.height = 0;
    this.most = 1;
    /** The pointers that are down, by number. @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    /** Where a drag began. @type {{x: number, y: number} | null} */
    this.grip = null;
    this.dragged = false;
    this.controls = this.makeControls();
    view.append(this.controls);
    this.listen();
  }

  get magnified() {
    return this.scale > 1;
  }

  makeControls() {
    const button = (/** @type {string} */ name, /** @type {keyof typeof ICONS} */ shape, /** @type {() => void} */ act) =>
      h("button", { type: "button", title: name, "aria-label": name, onclick: act }, icon(ICONS[shape]));
    this.less = button("Zoom out (−)", "out", () => this.step(1 / STEP, this.middle()));
    this.more = button("Zoom in (+)", "in", () => this.step(STEP, this.middle()));
    this.all = button("Show all (0)", "fit", () => this.fit());
    return h("div", { class: "seg stage-zoom", role: "group", "aria-label": "Zoom the network" }, this.less, this.more, this.all);
  }

  listen() {
    const { view } = this;
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.press(event));
    view.addEventListener("pointermove", (event) => this.drag(event));
    for (const type of ["pointerup", "pointercancel"]) view.addEventListener(type, (event) => this.release(/** @type {PointerEvent} */ (event)));
    // Two fingers magnify the stage, not the page.
    const two = (/** @type {TouchEvent} */ event) => event.touches.length > 1 && event.cancelable && event.preventDefault();
    view.addEventListener("touchstart", two, { passive: false });
    view.addEventListener("touchmove", two, { passive: false });
    // The end of a drag is no click; nor are the buttons part of the network.
    view.addEventListener("click", (event) => {
      if (this.dragged) event.stopImmediatePropagation();
      this.dragged = false;
    }, { capture: true });
    for (const type of ["click", "dblclick", "contextmenu", "pointermove"]) this.controls.addEventListener(type, (event) => event.stopPropagation());
  }

  /** The view has another size, or another drawing. @param {number} width @param {number} height @param {number} most the largest scale */
  resize(width, height, most) {
    [this.width, this.height, this.most] = [width, height, most];
    this.set(Math.min(this.scale, most), this.x, this.y);
  }

  /**
   * @param {number} scale
   * @param {number} x
   * @param {number} y
   */
  set(scale, x, y) {
    this.scale = scale < 1.001 ? 1 : scale;
    // The drawing covers the view.
    this.x = Math.min(0, Math.max(this.width * (1 - this.scale), x));
    this.y = Math.min(0, Math.max(this.height * (1 - this.scale), y));
    this.view.classList.toggle("magnified", this.magnified);
    this.view.dataset.scale = this.scale.toFixed(2);
    for (const [button, off] of [[this.less, !this.magnified], [this.all, !this.magnified], [this.more, this.scale >= this.most]]) button.setAttribute("aria-disabled", String(off));
    this.changed();
  }

  /** Shows all of the drawing. */
  fit() {
    this.set(1, 0, 0);
  }

  /**
   * Multiplies the scale, around a point of the view that stays where it is.
   * @param {number} factor
   * @param {number} [atX]
   * @param {number} [atY]
   */
  by(factor, atX = this.width / 2, atY = this.height / 2) {
    const scale = Math.max(1, Math.min(this.most, this.scale * factor));
    const grown = scale / this.scale;
    this.set(scale, atX - (atX - this.x) * grown, atY - (atY - this.y) * grown);
  }

  /** Multiplies the scale, around what matters. @param {number} factor @param {number[] | null} middle */
  step(factor, middle) {
    this.by(factor, ...(middle ? [this.x + middle[0] * this.scale, this.y + middle[1] * this.scale] : []));
    if (middle) this.reveal(middle[0], middle[1]);
  }

  /** The point of the drawing that is shown at a point of the view. @param {number} x @param {number} y */
  inside(x, y) {
    return [(x - this.x) / this.scale, (y - this.y) / this.scale];
  }

  /** Moves what is magnified so that a point of the drawing can be seen. @param {number} x @param {number} y */
  reveal(x, y) {
    if (!this.magnified) return;
    const [shownX, shownY] = [this.x + x * this.scale, this.y + y * this.scale];
    const border = Math.min(BORDER, this.width / 4, this.height / 4);
    const seen = shownX > border && shownX < this.width - border && shownY > border && shownY < this.height - border;
    if (!seen) this.set(this.scale, this.width / 2 - x * this.scale, this.height / 2 - y * this.scale);
  }

  /**
   * Whether a key is one of the magnifier, which then has done its work.
   * @param {string} key
   */
  key(key) {
    const shift = SHIFTS.get(key);
    if (key === "+" || key === "=") this.step(STEP, this.middle());
    else if (key === "-") this.step(1 / STEP, this.middle());
    else if (key === "0") this.fit();
    else if (shift) this.set(this.scale, this.x + shift[0] * SHIFT * this.width, this.y + shift[1] * SHIFT * this.height);
    else return false;
    return true;
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const pinch = event.ctrlKey || event.metaKey;
    const closer = event.deltaY < 0;
    // Where there is nothing left to zoom out of, or the page was scrolled down, the page scrolls.
    if (!pinch && !this.magnified && (!closer || scrollY > 0)) return;
    event.preventDefault();
    const box = this.view.getBoundingClientRect();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const far = Math.max(-120, Math.min(120, event.deltaY * lines));
    this.by(Math.exp(-far * (pinch ? 0.01 : 0.0025)), event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || this.controls.contains(/** @type {Node} */ (event.target))) return;
    this.dragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.grip = this.magnified && this.pointers.size === 1 ? { x: event.clientX, y: event.clientY } : null;
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else if (this.grip && (this.dragged || Math.hypot(now.x - this.grip.x, now.y - this.grip.y) > SLACK)) {
      if (!this.dragged) this.view.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.set(this.scale, this.x + now.x - before.x, this.y + now.y - before.y);
    } else if (this.grip) return;
    this.pointers.set(event.pointerId, now);
  }

  /** One of two fingers moves. @param {number} id @param {{x: number, y: number}} before @param {{x: number, y: number}} now */
  pinch(id, before, now) {
    const other = [...this.pointers].find(([one]) => one !== id)?.[1];
    if (!other) return;
    const box = this.view.getBoundingClientRect();
    const apart = (/** @type {{x: number, y: number}} */ finger) => Math.max(20, Math.hypot(finger.x - other.x, finger.y - other.y));
    this.dragged = true;
    this.x += (now.x - before.x) / 2;
    this.y += (now.y - before.y) / 2;
    this.by(apart(now) / apart(before), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
  }

  /** @param {PointerEvent} event */
  release(event) {
    this.pointers.delete(event.pointerId);
    this.grip = null;
  }
}
