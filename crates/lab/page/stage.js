/**
 * The stage: the network at the moment at which the run stands. It chooses how to draw: SVG, canvases for more processors,
 * an overview for many more; and it shows what the pointer is on.
 */

import { brief } from "./brief.js";
import { Flights } from "./flights.js";
import { layoutOf } from "./layout.js";
import { onTheme, STATE_WORDS } from "./palette.js";
import { CanvasStage } from "./stage-canvas.js";
import { Clocks } from "./stage-clock.js";
import { Dial } from "./stage-dial.js";
import { Legend } from "./stage-legend.js";
import { OverviewStage } from "./stage-overview.js";
import { SvgStage } from "./stage-svg.js";
import { StageZoom } from "./stage-zoom.js";

/** As many processors, and messages in flight, have elements of their own. */
const MOST_SVG = 1000;
const MOST_SVG_MESSAGES = 2500;
/** As many processors are drawn one by one. */
const MOST_CANVAS = 10000;
/** As many processors have their names beside them. */
const MOST_NAMED = 300;
/** The least width of a legend at the side. */
const LEGEND = 140;
/** Messages say what they carry as long as there are no more of them. */
const MOST_TEXTS = 60;
/** Up to this speed, messages glide from one move to the next while playing. */
const FASTEST_GLIDE = 16;
/** An overview is drawn again after so many milliseconds at the earliest. */
const OVERVIEW_PAUSE = 80;
/** Magnified as far as it goes, a processor has this radius in pixels; a stage of few is magnified as often as that. */
const LARGEST_RADIUS = 44;
const LEAST_MAGNIFIED = 4;
const MOST_MAGNIFIED = 40;
const MOST_OVERVIEW = 12;

/** Draws the network of a lab's run into an element. */
export class Stage {
  /**
   * @param {HTMLElement} element
   * @param {any} lab
   */
  constructor(element, lab) {
    this.element = element;
    this.lab = lab;
    element.classList.add("stage");
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", "Stage: the network. Arrow keys up and down choose a processor, with shift a message; plus, minus and 0 zoom.");
    const part = (/** @type {string} */ name, tag = "div") => {
      const made = document.createElement(tag);
      made.className = name;
      element.append(made);
      return made;
    };
    this.view = part("stage-view");
    this.dial = new Dial(this.view);
    this.tip = document.createElement("div");
    this.tip.className = "stage-tip";
    this.tip.hidden = true;
    this.view.append(this.tip);
    this.zoom = new StageZoom(this.view, () => this.magnify(), () => this.focus());
    this.legend = new Legend(part("stage-legend"));
    new ResizeObserver(() => this.widen()).observe(element);
    this.summary = part("visually-hidden", "p");
    this.summary.setAttribute("aria-live", "polite");
    this.flights = new Flights();
    this.flights.dropped = (flight) => this.drawer?.release(flight);
    this.clocks = new Clocks(lab);
    /** @type {SvgStage | CanvasStage | OverviewStage | null} */
    this.drawer = null;
    /** @type {import("./layout.js").Layout | null} */
    this.layout = null;
    /** What messages say, by number. @type {Map<number, string>} */
    this.texts = new Map();
    this.dirty = this.smooth = this.back = false;
    this.request = 0;
    this.last = 0;
    this.painted = 0;
    this.crowded = false;
    this.listen();
  }

  /** Listens to the lab, the pointer, the keys and the size. */
  listen() {
    const { lab, element, view } = this;
    lab.addEventListener("opened", (/** @type {any} */ event) => this.open(event.detail?.changed));
    lab.addEventListener("moved", (/** @type {any} */ event) => this.moved(event.detail ?? {}));
    lab.addEventListener("selected", () => {
      this.reveal();
      this.schedule();
    });
    lab.addEventListener("playing", () => this.schedule());
    lab.addEventListener("tick", () => this.schedule());
    new ResizeObserver(() => this.resized()).observe(view);
    onTheme(() => this.schedule());
    view.addEventListener("pointermove", (event) => this.hover(event));
    view.addEventListener("pointerleave", () => this.hideTip());
    view.addEventListener("click", (event) => this.click(event));
    view.addEventListener("contextmenu", (event) => this.menu(event));
    view.addEventListener("dblclick", (event) => this.menu(event));
    element.addEventListener("keydown", (event) => this.key(event));
    if (lab.run) this.open();
  }

  /** A run was opened. @param {boolean} [changed] it is the one before, interfered with */
  open(changed = false) {
    if (!changed) this.zoom.fit();
    this.texts.clear();
    this.flights.clear();
    this.crowded = false;
    this.clocks.open(this.lab.run);
    this.legend.open(this.lab.run);
    this.layout = null;
    this.resize();
    this.moved({});
  }

  /** @param {{from?: any, to?: any, smooth?: boolean}} detail */
  moved({ from, to, smooth }) {
    this.smooth = Boolean(smooth) || (this.lab.playing && this.lab.speed <= FASTEST_GLIDE);
    this.back = Boolean(from && to && to.move < from.move);
    this.dirty = true;
    this.hideTip();
    this.schedule();
  }

  /** Puts the legend to the side where there is more room than below. */
  widen() {
    const { clientWidth, clientHeight } = this.element;
    this.element.classList.toggle("wide", clientWidth > 640 && clientWidth > 1.35 * clientHeight);
  }

  /** Chooses how to draw, and draws the network in the present size. */
  resize() {
    const { run } = this.lab;
    const { clientWidth: width, clientHeight: height } = this.view;
    if (!run || width < 40 || height < 40) return;
    this.widen();
    if (this.layout?.width === width && this.layout.height === height) return;
    const kind = run.n > MOST_CANVAS ? OverviewStage : run.n > MOST_SVG || this.crowded ? CanvasStage : SvgStage;
    if (!(this.drawer instanceof kind)) {
      this.flights.clear();
      this.drawer?.remove();
      this.drawer = new kind(this.view);
      this.view.append(this.dial.element, this.tip);
    }
    // A legend at the side is kept clear of what has names.
    const legend = this.element.classList.contains("wide") && run.n <= MOST_NAMED ? Math.max(LEGEND, this.legend.element.offsetWidth) + 16 : 0;
    this.layout = layoutOf(run.n > MOST_CANVAS ? { ...run, n: 1, cells: 0 } : run, width, height, Math.min(legend, width / 4));
    this.drawer.build(run, this.layout, (place) => this.label(place));
    this.flights.place(this.layout);
    if (this.drawer instanceof OverviewStage) this.legend.showBars();
    this.zoom.resize(width, height, this.drawer instanceof OverviewStage ? MOST_OVERVIEW : Math.min(MOST_MAGNIFIED, Math.max(LEAST_MAGNIFIED, LARGEST_RADIUS / this.layout.r)));
    this.dirty = true;
    this.schedule();
  }

  /** Shows the drawing at the present scale. */
  magnify() {
    const { drawer, layout, zoom } = this;
    if (!drawer || !layout) return;
    drawer.magnify(zoom);
    const overview = drawer instanceof OverviewStage;
    const middle = { cx: zoom.x + zoom.scale * layout.cx, cy: zoom.y + zoom.scale * layout.cy, width: layout.width };
    this.dial.place(overview ? drawer.hole : layout.hole, middle, overview);
    this.element.classList.toggle("magnified", zoom.magnified);
    this.hideTip();
    this.schedule();
  }

  /** Where what is selected is drawn. @returns {number[] | null} */
  selected() {
    const { layout, drawer } = this;
    const { processor, message } = this.lab.selection;
    const path = message === null ? undefined : this.flights.known.get(message)?.path;
    if (path) return [path.x, path.y];
    if (processor === null || !layout) return null;
    if (drawer instanceof OverviewStage) return drawer.pointOf(processor);
    return processor < layout.n ? [layout.x[processor], layout.y[processor]] : null;
  }

  /** What a key or a button magnifies: what is selected, else where the last step was. @returns {number[] | null} */
  focus() {
    const { layout, drawer, lab } = this;
    const { move, place } = lab.position;
    const last = move === 0 || !layout ? null : drawer instanceof OverviewStage ? drawer.pointOf(place) : [layout.x[place], layout.y[place]];
    return this.selected() ?? last;
  }

  /** Moves what is magnified to what was selected. */
  reveal() {
    const point = this.selected();
    if (point) this.zoom.reveal(point[0], point[1]);
  }

  /** What is written in and beside a processor. @param {number} place */
  label(place) {
    const { run } = this.lab;
    const layout = /** @type {import("./layout.js").Layout} */ (this.layout);
    const cell = place >= layout.sites;
    const role = place < run.readers ? "R" : place < run.readers + run.writers ? "W" : "";
    const id = cell ? String(place) : String(run.ids?.[place] ?? role);
    if (cell || layout.r < 9 || layout.shape === "folded") return { id, lines: [] };
    if (layout.width < 520 || layout.n > 20) return { id, lines: [String(place)] };
    const lines = [`place ${place}`];
    if (layout.clocks) lines.push(`tick ${run.ticks[place]}`);
    if (run.phased) lines.push("");
    return { id, lines };
  }

  /** The size has changed: what is built anew is drawn before anybody sees it empty. */
  resized() {
    this.resize();
    this.settle();
  }

  /** Draws what was asked for now: somebody wants a picture of it. */
  settle() {
    if (!this.request) return;
    cancelAnimationFrame(this.request);
    this.paint(performance.now());
  }

  /** Asks for a picture in the next animation frame. */
  schedule() {
    if (this.request) return;
    this.request = requestAnimationFrame((at) => this.paint(at));
  }

  /** @param {number} time of the animation frame */
  paint(time) {
    this.request = 0;
    const { lab, drawer, layout } = this;
    if (lab.session === null || !drawer || !layout) return;
    const ms = Math.min(100, Math.max(0, time - this.last));
    this.last = time;
    if (drawer instanceof OverviewStage) {
      if (this.dirty && lab.playing && time - this.painted < OVERVIEW_PAUSE) return this.schedule();
      if (this.dirty) this.takeOver(time);
      drawer.select(lab.selection.processor);
      return;
    }
    if (this.dirty) this.takeOver(time);
    const now = lab.now ?? lab.position.time;
    const { untimed, timing } = lab.run;
    const gliding = this.flights.glide(now, ms, untimed || timing.d[1] === 0);
    if (layout.clocks) drawer.drawClocks(this.clocks.at(now));
    const picked = lab.selection.message === null ? undefined : this.flights.known.get(lab.selection.message);
    if (drawer instanceof CanvasStage) drawer.select(lab.selection.processor, picked);
    drawer.drawMessages(this.flights, (number) => this.texts.get(number) ?? "");
    if (drawer instanceof SvgStage) drawer.select(lab.selection.processor, picked);
    this.dial.now(now, lab);
    if (gliding) this.schedule();
  }

  /** Takes over what the frame of the present moment says. @param {number} time of the animation frame */
  takeOver(time) {
    const { lab, drawer } = this;
    const { frame, position } = lab;
    this.dirty = false;
    this.painted = time;
    const crowd = drawer instanceof SvgStage && frame.messages.length > MOST_SVG_MESSAGES;
    if (crowd) {
      this.crowded = true;
      this.layout = null;
      this.resize();
    }
    this.drawer?.update(frame, position.move > 0 ? position.place : null);
    if (!(this.drawer instanceof OverviewStage)) {
      this.flights.update(frame, lab.now ?? position.time, this.smooth, this.back);
      this.clocks.refresh(frame, position.time);
      this.readTexts(frame);
    }
    if (this.drawer instanceof OverviewStage) this.legend.paint(this.drawer.colours());
    else this.legend.update(frame);
    this.dial.update(lab, this.drawer instanceof OverviewStage ? this.drawer : null);
    const violated = String(position.violations > 0);
    if (this.element.dataset.violated !== violated) this.element.dataset.violated = violated;
    this.summarise();
  }

  /** Asks what the messages say that have not been asked for. @param {any} frame */
  readTexts(frame) {
    if (frame.messages.length > MOST_TEXTS || (this.layout?.r ?? 0) < 9) return;
    if (frame.messages.every((/** @type {any} */ { number }) => this.texts.has(number))) return;
    const answer = this.lab.attempt(() => this.lab.request("messages"));
    for (const { number, content } of answer?.messages ?? []) this.texts.set(number, brief(content.kind, content.text));
  }

  /** Says in words what is selected, for those who do not see it. */
  summarise() {
    const { processor } = this.lab.selection;
    if (this.lab.playing || processor === null) return;
    const words = this.describe(processor);
    if (this.summary.textContent !== words) this.summary.textContent = words;
  }

  /** A processor in words. @param {number} place */
  describe(place) {
    const { lab } = this;
    const { frame, run } = lab;
    const words = [`place ${place}`];
    if (run.ids?.[place] !== undefined) words[0] += ` (id ${run.ids[place]})`;
    words.push(STATE_WORDS[frame.state[place]]);
    if (run.phased) words.push(`phase ${frame.phase[place]}`);
    if (frame.bits[place] & 1) words.push("crashed");
    if (frame.bits[place] & 2) words.push("paused");
    const clock = this.clocks.words(place);
    if (clock) words.push(clock);
    return words.join(" · ");
  }

  /** A message in words. @param {number} number */
  describeMessage(number) {
    const message = this.lab.frame.messages.find((/** @type {any} */ one) => one.number === number);
    if (!message) return "";
    const kind = this.lab.run.kinds[message.kind]?.name ?? "message";
    const said = this.texts.get(number);
    const where = ["", "waits for its link", "behind another", "held: its receiver is paused", "arrived, not yet read"][message.stage];
    const words = [`message ${number}: ${kind}${said ? ` ${said}` : ""}`, `${message.from} → ${message.to}`];
    if (where) words.push(where);
    else if (!Number.isNaN(message.arrives)) words.push(`arrives at ${message.arrives}`);
    if (message.copy) words.push("a copy");
    return words.join(" · ");
  }

  /**
   * What is drawn at a point of the view.
   * @param {number} x
   * @param {number} y
   * @returns {{processor: number} | {message: number} | null}
   */
  at(x, y) {
    const { drawer, layout, zoom } = this;
    if (!layout || !drawer) return null;
    [x, y] = zoom.inside(x, y);
    if (drawer instanceof OverviewStage) {
      const place = drawer.placeAt(x, y);
      return place === null ? null : { processor: place };
    }
    let best = Math.max(11 / zoom.scale, Math.min(11, layout.r * 0.5));
    let message = null;
    for (const { number, path, leaving } of this.flights.list) {
      const far = Math.hypot(path.x - x, path.y - y);
      if (!leaving && far < best) [best, message] = [far, number];
    }
    let place = -1;
    let nearest = Math.max(layout.r * 1.35, 7 / zoom.scale);
    for (let one = 0; one < layout.n; one++) {
      const far = Math.hypot(layout.x[one] - x, layout.y[one] - y);
      if (far < nearest) [nearest, place] = [far, one];
    }
    if (message !== null && (place < 0 || best < nearest)) return { message };
    return place < 0 ? null : { processor: place };
  }

  /** @param {MouseEvent} event */
  point(event) {
    const box = this.view.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const [x, y] = this.point(event);
    const found = this.at(x, y);
    this.view.classList.toggle("pointing", found !== null);
    if (!found || event.pointerType === "touch") return this.hideTip();
    const { tip } = this;
    tip.textContent = "processor" in found ? this.describe(found.processor) : this.describeMessage(found.message);
    tip.hidden = false;
    const room = this.view.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(4, Math.min(room, x + 14))}px`;
    tip.style.top = `${y > 44 ? y - 38 : y + 22}px`;
  }

  /** Hides what the pointer was on. */
  hideTip() {
    this.tip.hidden = true;
  }

  /** @param {MouseEvent} event */
  click(event) {
    const [x, y] = this.point(event);
    this.lab.select(this.at(x, y) ?? {});
  }

  /** @param {MouseEvent} event */
  menu(event) {
    const [x, y] = this.point(event);
    const found = this.at(x, y);
    if (!found) return;
    event.preventDefault();
    this.lab.select(found);
    this.element.dispatchEvent(new CustomEvent("stage-menu", { bubbles: true, detail: { ...found, x: event.clientX, y: event.clientY } }));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.zoomBy(event.key)) {
      event.preventDefault();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const { lab } = this;
    if (step === 0 || !lab.run || event.target !== this.element) return;
    event.preventDefault();
    if (event.shiftKey) {
      const numbers = lab.frame.messages.map((/** @type {any} */ message) => message.number);
      if (numbers.length === 0) return;
      const index = numbers.indexOf(lab.selection.message);
      const next = index < 0 ? (step > 0 ? 0 : numbers.length - 1) : (index + step + numbers.length) % numbers.length;
      lab.select({ message: numbers[next] });
      this.summary.textContent = this.describeMessage(numbers[next]);
      return;
    }
    const place = lab.selection.processor ?? (step > 0 ? -1 : 0);
    lab.select({ processor: (place + step + lab.run.n) % lab.run.n });
    this.summarise();
  }

  /** Zooms by a key, if it is one that does. @param {string} key */
  zoomBy(key) {
    if (!this.lab.run || !this.zoom.key(key)) return false;
    const { scale, magnified } = this.zoom;
    this.summary.textContent = magnified ? `Magnified ${scale.toFixed(1)} times` : "The whole network is shown";
    return true;
  }
}
