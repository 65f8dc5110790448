/**
 * The space-time diagram of a stretch of the run around the present moment. It scrolls and zooms over all moves; a click
 * jumps to a move; the causal cone of a move can be singled out.
 */

import { grouped } from "./brief.js";
import { yielding } from "./dom.js";
import { onTheme, Palette } from "./palette.js";
import { Block } from "./spacetime-block.js";
import { Diagram } from "./spacetime-draw.js";

/** Pixels from one move to the next. */
const ZOOMS = [2, 3.5, 6, 9, 13, 18, 26, 40];
const FIRST_ZOOM = 4;
/** The engine gives no more moves at once. */
const MOST_ROWS = 2000;
/** Columns are no nearer to each other; where there are more, the diagram can be moved sideways. */
const LEAST_SPACE = 12;
/** While playing or scrubbing, moves are fetched no more often, in milliseconds. */
const PAUSE = 200;
/** Where fetching takes long, it takes no more than one part of so many of the time. */
const SHARE = 30;
/** The same for a jump, after which somebody waits. */
const JUMP_SHARE = 3;
/** While playing, as many moves are fetched at once. */
const MOST_PLAYED = 300;
/** Moves are added to what is played for so many milliseconds at once, and so many moves. */
const ADDING = 1.5;
const [LEAST_ADDED, MOST_ADDED] = [8, 64];
/** What is free above the first event. */
const ABOVE = 16;
const LEFT = 58;
const TOP = 64;

/** Draws the space-time diagram of a lab's run. */
export class SpaceTime {
  /**
   * @param {HTMLElement} element
   * @param {any} lab
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    element.classList.add("spacetime");
    this.paintLater = yielding((at) => this.paint(at));
    /** @type {Block | null} */
    this.block = null;
    this.zoom = FIRST_ZOOM;
    this.scroll = this.shift = 0;
    this.space = 40;
    /** How large text is. */
    this.type = 1;
    this.width = this.height = 0;
    this.toScale = true;
    /** Whether the causal cone is shown, and whether a person decided that. */
    this.coned = this.chose = this.violated = false;
    /** Whether the diagram follows the present moment: until it is scrolled by hand. */
    this.follows = true;
    this.fetched = 0;
    /** The milliseconds that a move takes to be told. */
    this.pace = 0.05;
    /** How long it took to fetch the block, in milliseconds. */
    this.cost = 0;
    this.request = 0;
    /** @type {{x: number, y: number, scroll: number, shift: number, moved: boolean} | null} */
    this.grip = null;
    this.build();
    this.listen();
    if (lab.run) this.open();
  }

  build() {
    const bar = document.createElement("div");
    bar.className = "spacetime-bar";
    const seg = document.createElement("div");
    seg.className = "seg";
    seg.setAttribute("role", "group");
    seg.setAttribute("aria-label", "Axis");
    this.timeButton = this.button(seg, "time", "Distances are times; long waits are cut short", () => this.setScale(true));
    this.eventButton = this.button(seg, "events", "One event below the other", () => this.setScale(false));
    this.coneButton = this.button(bar, "Causal cone", "Single out what led to the present event, and what it leads to", () => this.setCone(!this.coned));
    this.coneButton.classList.add("btn");
    const zooms = document.createElement("div");
    zooms.className = "seg";
    zooms.setAttribute("role", "group");
    zooms.setAttribute("aria-label", "Zoom");
    this.button(zooms, "−", "Zoom out", () => this.setZoom(this.zoom - 1));
    this.button(zooms, "+", "Zoom in", () => this.setZoom(this.zoom + 1));
    bar.prepend(seg);
    bar.append(zooms);
    this.view = document.createElement("div");
    this.view.className = "spacetime-view";
    this.view.tabIndex = 0;
    this.view.setAttribute("role", "group");
    this.view.setAttribute("aria-label", "Space-time diagram: arrow keys move it, plus and minus zoom");
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.tip = document.createElement("div");
    this.tip.className = "stage-tip";
    this.tip.hidden = true;
    this.view.append(this.canvas, this.tip);
    this.element.append(bar, this.view);
    this.palette = new Palette(this.element);
    this.diagram = new Diagram(/** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d")), this.palette);
  }

  /** @param {HTMLElement} parent @param {string} words @param {string} title @param {() => void} action */
  button(parent, words, title, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.title = title;
    if (words.length < 2) made.setAttribute("aria-label", title);
    made.addEventListener("click", action);
    parent.append(made);
    return made;
  }

  listen() {
    const { lab, view } = this;
    lab.addEventListener("opened", () => this.open());
    lab.addEventListener("moved", (/** @type {any} */ { detail }) => this.moved(detail?.to ?? lab.position));
    for (const name of ["selected", "playing", "ahead", "tick"]) lab.addEventListener(name, () => this.schedule());
    onTheme(() => {
      this.palette?.refresh();
      this.schedule();
    });
    if (!view) return;
    new ResizeObserver(() => this.measure()).observe(view);
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    view.addEventListener("pointerdown", (event) => this.press(event));
    view.addEventListener("pointermove", (event) => this.drag(event));
    view.addEventListener("pointerup", (event) => this.release(event));
    view.addEventListener("pointercancel", () => (this.grip = null));
    view.addEventListener("pointerleave", () => this.hideTip());
    view.addEventListener("keydown", (event) => this.key(event));
  }

  /** A run was opened. */
  open() {
    const { run } = this.lab;
    this.block = null;
    this.follows = true;
    this.violated = this.chose = this.coned = false;
    this.scroll = this.shift = 0;
    this.toScale = !run.untimed && run.timing.d[1] > 0;
    this.meddled = new Set((run.interventions ?? []).map((/** @type {any} */ one) => one.message ?? Number.parseInt(one.text ?? one, 10)));
    if (this.timeButton) this.timeButton.disabled = Boolean(run.untimed);
    this.schedule();
  }

  /** @param {{violations: number}} position */
  moved(position) {
    this.follows = true;
    // A violation that was gone to is shown with what led to it.
    const violated = position.violations > 0;
    if (violated && !this.violated && !this.lab.playing && !this.chose) this.coned = true;
    if (!violated && this.violated && !this.chose) this.coned = false;
    this.violated = violated;
    this.schedule();
  }

  /** @param {boolean} toScale */
  setScale(toScale) {
    this.toScale = toScale;
    this.follows = true;
    this.block?.scale(toScale, ZOOMS[this.zoom]);
    this.schedule();
  }

  /** @param {boolean} coned */
  setCone(coned) {
    this.chose = true;
    this.coned = coned;
    this.schedule();
  }

  /** @param {number} zoom @param {number} [around] the y that stays where it is */
  setZoom(zoom, around = undefined) {
    const next = Math.max(0, Math.min(ZOOMS.length - 1, zoom));
    if (next === this.zoom || !this.block || !this.view) return;
    const y = (around ?? this.height / 2) - this.top + this.scroll;
    const share = this.block.height > 0 ? y / this.block.height : 0;
    this.zoom = next;
    this.block.scale(this.toScale, ZOOMS[next]);
    this.scroll += share * this.block.height - y;
    this.follows = false;
    this.schedule();
  }

  /** Notes the size, so that it need not be asked for in every picture. */
  measure() {
    this.width = this.view?.clientWidth ?? 0;
    this.height = this.view?.clientHeight ?? 0;
    this.type = Math.max(0.9, Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
    this.schedule();
  }

  /** Draws in the next animation frame; while a run is played, in one that has time for it. */
  schedule() {
    if (this.request) return;
    this.request = requestAnimationFrame((at) => {
      this.request = 0;
      if (!this.lab.run) return;
      if (!this.lab.playing) this.paint(at);
      else if (!this.paintLater(at)) this.schedule();
    });
  }

  /** @param {number} time of the animation frame */
  paint(time) {
    const { lab, canvas, width, height } = this;
    if (!canvas || !this.diagram) return;
    if (width < 60 || height < 60) return;
    const scale = Math.min(2, devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    this.diagram.pen.setTransform(scale, 0, 0, scale, 0, 0);
    if (!this.fetch(time, height)) return;
    const { block } = this;
    if (!block) return;
    this.layOut(width, height);
    this.showButtons();
    const cone = this.coned && block.has(lab.position.move) ? block.cone(lab.position.move) : null;
    this.diagram.draw(block, lab.run, {
      width, height, left: this.left, top: this.top, type: this.type, space: this.space, shift: this.shift, scroll: this.scroll, cursor: lab.position.move, now: lab.now,
      toScale: this.toScale, cone, processor: lab.selection.processor, message: lab.selection.message, meddled: this.meddled ?? new Set(),
    });
    canvas.setAttribute("aria-label", `Events ${block.first} to ${block.last}; the present one is ${lab.position.move}`);
  }

  /** The left end of the diagram. */
  get left() {
    const { ahead, position } = this.lab;
    const digits = String(Math.max(ahead.time ?? 0, position.time)).length;
    return Math.max(LEFT, 30 + (digits + Math.floor((digits - 1) / 3)) * 7) * this.type;
  }

  /** Its upper end, below the names. */
  get top() {
    return TOP * this.type;
  }

  /** Fetches the moves that are needed. @param {number} time @param {number} height @returns {boolean} whether there are moves to draw */
  fetch(time, height) {
    const { lab, block } = this;
    const wanted = this.follows || !block ? lab.position.move : this.middle(height);
    const apart = block && block.rows.length > 40 ? block.height / block.rows.length : ZOOMS[this.zoom];
    const rows = Math.min(MOST_ROWS / 6, Math.ceil(height / Math.max(1, apart)) + 4);
    const most = Math.max(lab.ahead.moves, lab.position.move);
    const near = (/** @type {number} */ move) => block !== null && move >= block.first - 1 && move <= block.last + 1;
    const from = Math.max(1, wanted - rows);
    const to = Math.min(most, wanted + rows);
    if (block && near(Math.max(1, wanted)) && from >= block.first && to <= block.last) return true;
    if (block && lab.playing && wanted >= block.first && wanted <= block.last) {
      if (Math.min(most, wanted + rows / 2) <= block.last) return true;
      this.extend(block, wanted, rows, most);
      // They are drawn in the next frame.
      this.schedule();
      return false;
    }
    // What is scrubbed, or played fast, is fetched now and then.
    const soon = time - this.fetched < Math.max(PAUSE, this.cost * (lab.playing ? SHARE : JUMP_SHARE));
    if (block && soon && (lab.playing || !near(wanted))) {
      this.schedule();
      return near(wanted);
    }
    this.fetched = time;
    const length = lab.playing ? Math.min(MOST_PLAYED, 2 * rows) : Math.min(MOST_ROWS, Math.max(rows * 3, 120));
    const before = lab.playing ? Math.min(rows, length * 0.6) : length / 2;
    const start = Math.max(1, Math.min(wanted - Math.floor(before), most - length + 1));
    const began = performance.now();
    const answer = lab.attempt(() => lab.request("window", { from: start, to: start + length - 1 }));
    if (!answer) return false;
    this.replace(answer.steps, wanted);
    this.cost = performance.now() - began;
    return true;
  }

  /**
   * Adds the moves that come next to what is shown while a run is played, a few at a time, and drops as many at the other end.
   * @param {Block} block @param {number} wanted the present move @param {number} rows in view @param {number} most the last move known
   */
  extend(block, wanted, rows, most) {
    const count = Math.max(LEAST_ADDED, Math.min(MOST_ADDED, Math.floor(ADDING / this.pace)));
    const began = performance.now();
    const answer = this.lab.attempt(() => this.lab.request("window", { from: block.last + 1, to: Math.min(most, block.last + count) }));
    if (!answer) return;
    const pace = (performance.now() - began) / count;
    // It slows down at once, and speeds up with care.
    this.pace = pace > this.pace ? pace : this.pace + (pace - this.pace) / 8;
    this.replace([...block.rows.slice(Math.max(0, wanted - rows - block.first)), ...answer.steps], wanted);
  }

  /** Shows other moves; one that was shown before stays where it was. @param {any[]} steps @param {number} wanted */
  replace(steps, wanted) {
    const { lab, block } = this;
    const shown = block?.has(wanted) ? block.y[block.row(wanted)] - this.scroll : null;
    const made = new Block(steps, lab.run, lab.frame);
    made.scale(this.toScale, ZOOMS[this.zoom]);
    this.block = made;
    if (shown !== null && made.has(wanted)) this.scroll = made.y[made.row(wanted)] - shown;
  }

  /** The move in the middle of the view. @param {number} height */
  middle(height) {
    const { block } = this;
    if (!block) return 1;
    const y = this.scroll + (height - this.top) / 2;
    let row = 0;
    while (row < block.rows.length - 1 && block.y[row + 1] <= y) row++;
    return block.first + row;
  }

  /** Chooses the distance of columns, and follows the present moment. @param {number} width @param {number} height */
  layOut(width, height) {
    const { lab, block } = this;
    const { run, position } = lab;
    if (!block) return;
    const columns = run.n + (run.topology === "complete" || run.n > 64 || run.n <= 2 ? 0 : 1);
    this.space = Math.max(LEAST_SPACE, Math.min(150, (width - this.left - 26) / Math.max(1, columns - 1)));
    const across = (columns - 1) * this.space;
    const room = width - this.left - 26;
    const widest = Math.max(0, across - room);
    if (this.follows && widest > 0) {
      const x = position.place * this.space - this.shift;
      if (x < 40 || x > room - 40) this.shift = position.place * this.space - room / 2;
    }
    // A narrow diagram stands in the middle.
    this.shift = widest > 0 ? Math.max(0, Math.min(widest, this.shift)) : -(room - across) / 2;
    const tall = Math.max(0, block.height - (height - this.top - 24));
    if (this.follows) {
      const y = block.has(position.move) ? block.y[block.row(position.move)] : position.move < block.first ? 0 : block.height;
      const at = y - this.scroll;
      const view = height - this.top;
      if (at < 30 || at > view * 0.72) this.scroll = y - view * 0.62;
    }
    const atStart = block.first === 1;
    const atEnd = block.last >= lab.ahead.moves && lab.ahead.over;
    if (atEnd) this.scroll = Math.min(Math.max(-ABOVE, tall), this.scroll);
    if (atStart) this.scroll = Math.max(-ABOVE, this.scroll);
  }

  showButtons() {
    const press = (/** @type {HTMLElement | undefined} */ button, /** @type {boolean} */ on) => button?.setAttribute("aria-pressed", String(on));
    press(this.timeButton, this.toScale);
    press(this.eventButton, !this.toScale);
    press(this.coneButton, this.coned);
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.follows = false;
    this.shift += dx;
    this.scroll += dy;
    this.schedule();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.setZoom(this.zoom + (event.deltaY < 0 ? 1 : -1), event.offsetY);
      return;
    }
    const before = this.scroll;
    if (!this.block || !this.view) return;
    const tall = this.block.height - (this.height - this.top - 24);
    const ends = (event.deltaY < 0 && this.block.first === 1 && before <= -ABOVE) || (event.deltaY > 0 && this.block.last >= this.lab.ahead.moves && before >= tall);
    // At an end, the page scrolls on.
    if (ends && !event.deltaX) return;
    event.preventDefault();
    this.pan(event.deltaX, event.deltaY);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || event.pointerType === "touch") {
      this.grip = event.pointerType === "touch" ? { x: event.clientX, y: event.clientY, scroll: this.scroll, shift: this.shift, moved: false } : null;
      return;
    }
    this.view?.setPointerCapture(event.pointerId);
    this.grip = { x: event.clientX, y: event.clientY, scroll: this.scroll, shift: this.shift, moved: false };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { grip } = this;
    if (!grip) return this.hover(event);
    const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!grip.moved && Math.hypot(dx, dy) < 5) return;
    grip.moved = true;
    this.hideTip();
    this.follows = false;
    this.shift = grip.shift - dx;
    this.scroll = grip.scroll - dy;
    this.schedule();
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { grip, lab } = this;
    this.grip = null;
    if (!grip || grip.moved) return;
    const row = this.rowAt(event);
    if (row === null || !this.block) return;
    const { move, place } = this.block.rows[row];
    lab.pause();
    lab.attempt(() => lab.go({ move }));
    lab.select({ processor: place });
  }

  /** The row of the event next to the pointer. @param {MouseEvent} event @returns {number | null} */
  rowAt(event) {
    const { block, view } = this;
    if (!block || !view || block.rows.length === 0) return null;
    const box = view.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (y < this.top - 10) return null;
    let best = null;
    let nearest = 60;
    block.rows.forEach(({ place }, row) => {
      const far = Math.hypot((this.left + place * this.space - this.shift - x) * 0.6, this.top + block.y[row] - this.scroll - y);
      if (far < nearest) [nearest, best] = [far, row];
    });
    return best;
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const row = event.pointerType === "touch" ? null : this.rowAt(event);
    const { tip, view, block } = this;
    if (row === null || !tip || !view || !block) return this.hideTip();
    const { text, move } = block.rows[row];
    tip.textContent = `${grouped(move)}: ${text}`;
    tip.hidden = false;
    const box = view.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    tip.style.left = `${Math.max(4, Math.min(view.clientWidth - tip.offsetWidth - 4, x + 14))}px`;
    tip.style.top = `${y + tip.offsetHeight + 24 > view.clientHeight ? y - tip.offsetHeight - 10 : y + 18}px`;
  }

  hideTip() {
    if (this.tip) this.tip.hidden = true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowDown: () => this.pan(0, 60), ArrowUp: () => this.pan(0, -60), "+": () => this.setZoom(this.zoom + 1),
      "=": () => this.setZoom(this.zoom + 1), "-": () => this.setZoom(this.zoom - 1),
      PageDown: () => this.pan(0, 300), PageUp: () => this.pan(0, -300),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
