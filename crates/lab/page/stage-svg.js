/**
 * The stage as SVG, up to about a thousand processors: every processor has elements of its own, which are changed only where
 * a frame differs from the one before; so has every message, unless there are many: they are drawn on a canvas.
 */

import { bars, circle, cross, dart, glyph, radius, stands } from "./glyphs.js";
import { hasChords, Path } from "./layout.js";
import { MessageLayer } from "./message-layer.js";
import { kindColour, kindDashes, onTheme, Palette, STATES } from "./palette.js";
import { STAGE } from "./flights.js";
import { cutKey, cutPaths } from "./stage-cuts.js";

/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./flights.js").Flight} Flight */
/** @typedef {import("./flights.js").Flights} Flights */

const SVG = "http://www.w3.org/2000/svg";
/** A processor that is shown at least as large has its name in it. */
const NAMED = 9;
/** More messages than this have no trails and no labels. */
const MOST_TRAILS = 80;
/** More messages than this across a network do not say what they carry: their words would cover each other. */
const MOST_SAID = 16;
/** More messages than this are drawn on a canvas. */
const MOST_SPRITES = 150;

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {Element} [parent]
 * @returns {any}
 */
export function svg(name, attributes = {}, parent = undefined) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent?.append(element);
  return element;
}

/** @param {number} value */
const at = (value) => Math.round(value * 10) / 10;

/** The stage as SVG. */
export class SvgStage {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.root = svg("svg", { class: "stage-svg", "aria-hidden": "true", focusable: "false" });
    element.append(this.root);
    /** What messages are smaller by, where they are magnified. */
    this.shrunk = 1;
    this.dartSize = 1;
    /** Filled in anew for each message. */
    this.shared = this.root.createSVGMatrix();
    const layer = (/** @type {string} */ name) => svg("g", { class: name }, this.root);
    this.links = layer("links");
    this.cuts = layer("cuts");
    this.halos = layer("halos");
    this.clocks = layer("clocks");
    this.trails = layer("trails");
    this.nodes = layer("nodes");
    this.messages = layer("messages");
    this.marks = layer("marks");
    this.labels = layer("labels");
    this.says = layer("says");
    this.changed = svg("circle", { class: "changed", r: 0 }, this.halos);
    this.chosen = svg("circle", { class: "chosen", r: 0 }, this.marks);
    this.picked = svg("circle", { class: "chosen", r: 0 }, this.marks);
    /** @type {any[]} */
    this.processors = [];
    /** Sprites without a message. @type {any[]} */
    this.idle = [];
    /** @type {Layout | null} */
    this.layout = null;
    /** The state last drawn, by place. */
    this.drawn = new Uint8Array(0);
    this.bits = new Uint8Array(0);
    this.palette = new Palette(element);
    this.many = new MessageLayer(element, this.palette);
    this.stop = onTheme(() => this.palette.refresh());
  }

  /** Takes the stage away. */
  remove() {
    this.stop();
    this.root.remove();
    this.many.canvas.remove();
  }

  /**
   * Draws a network, before anything has happened.
   * @param {any} run
   * @param {Layout} layout
   * @param {(place: number) => {id: string, lines: string[]}} label
   */
  build(run, layout, label) {
    this.run = run;
    this.layout = layout;
    const { n, width, height, r } = layout;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.classList.toggle("small", r < 9);
    for (const group of [this.links, this.cuts, this.clocks, this.nodes, this.labels]) group.replaceChildren();
    this.cut = "";
    this.labels.setAttribute("font-size", at(layout.text));
    this.says.setAttribute("font-size", at(layout.text * 1.1));
    this.halos.replaceChildren(this.changed);
    /** By state. @type {{look: import("./glyphs.js").Glyph, style: string}[]} */
    this.looks = [];
    this.drawn = new Uint8Array(n).fill(255);
    this.bits = new Uint8Array(n).fill(255);
    this.dartSize = Math.max(3.2, Math.min(4.4, r * 0.6), Math.min(7.5, r * 0.36));
    this.dart = dart(this.dartSize);
    this.many.build(run, layout);
    this.label = label;
    this.drawLinks(layout);
    this.processors = Array.from({ length: n }, (_, place) => this.makeProcessor(place, layout, label));
    this.changed.setAttribute("r", at(r * 1.34));
    this.chosen.setAttribute("r", at(r * (r < 9 ? 2 : 1.95)));
    this.styles = run.kinds.map((/** @type {any} */ kind) => ({ colour: kindColour(kind), dashes: kindDashes(kind).map((d) => d * 0.8).join(" ") }));
    for (const sprite of this.idle) sprite.kind = -1;
  }

  /** Shows a part of the drawing, magnified. @param {import("./message-layer.js").Magnified} zoom */
  magnify(zoom) {
    const { width, height, r } = /** @type {Layout} */ (this.layout);
    const { scale, x, y } = zoom;
    this.root.setAttribute("viewBox", `${-x / scale} ${-y / scale} ${width / scale} ${height / scale}`);
    this.many.magnify(zoom);
    // Magnified, a message does not hide the processors beside it.
    this.shrunk = Math.min(1, Math.max(r * 0.36, 5 / scale) / this.dartSize);
    // Where processors are too small for their names, they are named as soon as they are large enough.
    const named = r < NAMED && r * scale >= NAMED;
    this.root.classList.toggle("named", named);
    if (named && !this.processors[0]?.text) this.processors.forEach((processor, place) => this.nameProcessor(processor, place, r));
  }

  /** @param {any} processor @param {number} place @param {number} r */
  nameProcessor(processor, place, r) {
    const id = this.label?.(place).id ?? "";
    if (!id) return;
    processor.size = Math.min(r * 0.82, (r * 2.1) / Math.max(1.6, id.length));
    processor.text = svg("text", { class: "id", dy: "0.35em" }, processor.group);
    processor.text.textContent = id;
    if (this.drawn[place] !== 255) this.drawText(processor, this.look(this.drawn[place], r).look);
  }

  /** @param {any} processor @param {import("./glyphs.js").Glyph} look */
  drawText(processor, look) {
    processor.text.style.fill = `var(${look.text})`;
    processor.text.style.fontSize = `${Math.round(processor.size * look.size * 100) / 100}px`;
  }

  /** @param {number} place @param {Layout} layout @param {(place: number) => {id: string, lines: string[]}} label */
  makeProcessor(place, layout, label) {
    const { x, y, r } = layout;
    const group = svg("g", { class: "node", transform: `translate(${at(x[place])} ${at(y[place])})` }, this.nodes);
    const body = svg("path", { class: "body" }, group);
    /** @type {any} */
    const processor = { group, body, mark: null, fault: null, halo: null, text: null, size: 0, label: null, phase: -1, clock: null };
    if (r >= NAMED) {
      const { lines } = label(place);
      this.nameProcessor(processor, place, r);
      if (lines.length > 0) processor.label = this.makeLabel(place, layout, lines);
    }
    return processor;
  }

  /** @param {number} place @param {Layout} layout @param {string[]} lines */
  makeLabel(place, layout, lines) {
    const { x, y, outX, outY, r } = layout;
    const far = r * 1.55 + 7;
    const [dx, dy] = [outX[place], outY[place]];
    const anchor = Math.abs(dx) < 0.3 ? "middle" : dx > 0 ? "start" : "end";
    const text = svg("text", { class: "outside", "text-anchor": anchor }, this.labels);
    const left = x[place] + dx * far;
    const step = layout.text * 1.2;
    const top = y[place] + dy * far + (dy - 1) * (lines.length * step) / 2 + step * 0.78;
    lines.forEach((line, index) => {
      svg("tspan", { x: at(left), y: at(top + index * step) }, text).textContent = line;
    });
    return text;
  }

  /** @param {Layout} layout */
  drawLinks(layout) {
    const { n, x, y, r } = layout;
    const path = new Path();
    if (!layout.ring) {
      if (!hasChords(layout)) return;
      let d = "";
      const cells = layout.sites < n;
      for (let one = 0; one < layout.sites; one++) {
        for (let other = cells ? layout.sites : one + 1; other < n; other++) d += `M${at(x[one])} ${at(y[one])}L${at(x[other])} ${at(y[other])}`;
      }
      svg("path", { class: "chords", d }, this.links);
      return;
    }
    let d = "";
    const lanes = layout.lane;
    const line = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ port) => {
      path.set(layout, from, to, port);
      path.at(1);
      return path.trail(1);
    };
    if (layout.half || r < 5 || !layout.twoWay) {
      layout.lane = 0;
      for (let place = 0; place < n; place++) d += line(place, (place + 1) % n, 0);
      layout.lane = lanes;
      const kind = layout.half ? "half" : layout.twoWay ? "two-way" : "one-way";
      svg("path", { class: `link ${kind}`, d }, this.links);
      if (layout.half || (layout.twoWay && r < 5)) svg("path", { class: "link inner", d }, this.links);
    } else {
      for (let place = 0; place < n; place++) d += line(place, (place + 1) % n, 0) + line((place + 1) % n, place, 1);
      svg("path", { class: "link lanes", d }, this.links);
    }
    // Two lanes speak for themselves.
    if (n <= 64 && r >= 7 && (layout.half || !layout.twoWay)) this.drawDirections(layout, path);
  }

  /** Arrow heads in the middle of links: one way, or back to back where only one way at a time.
   * @param {Layout} layout @param {Path} path */
  drawDirections(layout, path) {
    const { n } = layout;
    let d = "";
    const head = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ port, /** @type {number} */ share) => {
      path.set(layout, from, to, port);
      path.at(share);
      const { x, y, dx, dy } = path;
      const s = Math.max(2.2, Math.min(4, layout.r * 0.17));
      const [bx, by] = [x - dx * s, y - dy * s];
      d += `M${at(bx - dy * s)} ${at(by + dx * s)}L${at(x)} ${at(y)}L${at(bx + dy * s)} ${at(by - dx * s)}`;
    };
    const lanes = layout.lane;
    if (layout.half) layout.lane = 0;
    for (let place = 0; place < n; place++) {
      const next = (place + 1) % n;
      head(place, next, 0, layout.half ? 0.68 : 0.52);
      if (layout.half) head(next, place, 1, 0.68);
    }
    layout.lane = lanes;
    svg("path", { class: "heads", d }, this.links);
  }

  /**
   * Draws the processors that differ from what is drawn.
   * @param {import("./engine.js").Frame} frame
   * @param {number | null} last the place of the last move
   */
  update(frame, last) {
    const { state, bits } = frame;
    const layout = /** @type {Layout} */ (this.layout);
    if (this.run.phased) this.drawPhases(frame.phase);
    this.drawCuts(frame.cuts);
    for (let place = 0; place < frame.n; place++) {
      const fault = bits[place] & 3;
      if (state[place] === this.drawn[place] && fault === this.bits[place]) continue;
      if (state[place] !== this.drawn[place]) this.drawState(place, state[place], layout.r);
      if (fault !== this.bits[place]) this.drawFault(place, fault, layout.r);
      this.drawn[place] = state[place];
      this.bits[place] = fault;
    }
    this.changed.classList.toggle("on", last !== null);
    if (last !== null && last < layout.n) {
      this.changed.setAttribute("cx", at(layout.x[last]));
      this.changed.setAttribute("cy", at(layout.y[last]));
    }
  }

  /** Draws the links that are cut. @param {[number, number][]} cuts */
  drawCuts(cuts) {
    const key = cutKey(cuts);
    if (key === this.cut) return;
    this.cut = key;
    this.cuts.replaceChildren();
    if (cuts.length === 0) return;
    const { whole, ends, width } = cutPaths(/** @type {Layout} */ (this.layout), cuts);
    svg("path", { class: "gone", d: whole, "stroke-width": at(width) }, this.cuts);
    svg("path", { class: "left", d: ends }, this.cuts);
  }

  /** Writes the phase of each processor that has a line for it. @param {Uint16Array} phases */
  drawPhases(phases) {
    this.processors.forEach((processor, place) => {
      if (!processor.label || processor.phase === phases[place]) return;
      const line = processor.label.lastChild;
      if (processor.label.childNodes.length < 2) return;
      processor.phase = phases[place];
      line.textContent = phases[place] > 0 ? `phase ${phases[place]}` : "";
    });
  }

  /** What processors in a state look like. @param {number} state @param {number} r */
  look(state, r) {
    let known = this.looks[state];
    if (!known) {
      const look = glyph(state, radius(state, r));
      const dashes = look.dashed ? ";stroke-dasharray:3 3" : "";
      known = { look, style: `fill:var(${look.fill});stroke:var(${look.edge});stroke-width:${look.line}${dashes}` };
      this.looks[state] = known;
    }
    return known;
  }

  /** @param {number} place @param {number} state @param {number} r */
  drawState(place, state, r) {
    const processor = this.processors[place];
    const { look, style } = this.look(state, r);
    processor.group.setAttribute("class", `node s-${STATES[state]}`);
    const { body } = processor;
    body.setAttribute("d", look.body);
    body.setAttribute("style", style);
    if (look.mark) {
      processor.mark ??= svg("path", { class: "mark" }, processor.group);
      processor.mark.setAttribute("d", look.mark);
    } else if (processor.mark) {
      processor.mark.remove();
      processor.mark = null;
    }
    if (processor.text) this.drawText(processor, look);
    if (stands(state)) {
      const { x, y } = /** @type {Layout} */ (this.layout);
      processor.halo ??= svg("circle", { class: "halo", cx: at(x[place]), cy: at(y[place]), r: at(radius(state, r) * (r < 9 ? 2.4 : 1.9)) }, this.halos);
      processor.halo.style.fill = `var(${look.fill})`;
      this.nodes.append(processor.group);
    } else if (processor.halo) {
      processor.halo.remove();
      processor.halo = null;
    }
  }

  /** @param {number} place @param {number} fault @param {number} r */
  drawFault(place, fault, r) {
    const processor = this.processors[place];
    processor.group.classList.toggle("crashed", (fault & 1) !== 0);
    processor.group.classList.toggle("paused", (fault & 2) !== 0);
    if (fault === 0) {
      processor.fault?.remove();
      processor.fault = null;
      return;
    }
    processor.fault ??= svg("path", { class: "fault" }, processor.group);
    processor.fault.setAttribute("d", (fault & 1 ? cross(r * 0.95) : "") + (fault & 2 ? bars(r) : ""));
  }

  /**
   * Draws the messages where they are now.
   * @param {Flights} flights
   * @param {(number: number) => string} text what a message says, if that is known
   */
  drawMessages(flights, text) {
    const layout = /** @type {Layout} */ (this.layout);
    this.many.clear();
    if (flights.list.length > MOST_SPRITES) {
      for (const flight of flights.list) {
        if (flight.view) this.release(flight);
        flight.view = null;
      }
      this.many.draw(flights);
      return;
    }
    const detailed = layout.r >= 9 && layout.shape !== "folded" && flights.list.length <= MOST_TRAILS;
    const turned = layout.r >= 4;
    const said = layout.ring || flights.list.length <= MOST_SAID;
    for (const flight of flights.list) {
      const sprite = (flight.view ??= this.takeSprite());
      const kind = flight.kind * 16 + flight.stage * 2 + (flight.copy ? 1 : 0) + (flight.intervened ? 8192 : 0);
      if (sprite.kind !== kind) this.dress(sprite, flight, kind, turned);
      const { path } = flight;
      path.at(flight.shown);
      sprite.matrix.setMatrix(this.matrix(path, turned));
      if (detailed) this.drawTrail(sprite, flight, said ? text(flight.number) : "");
      else if (sprite.detailed) this.plain(sprite);
    }
  }

  /** @param {Path} path @param {boolean} turned */
  matrix(path, turned) {
    const m = this.shared;
    const { shrunk } = this;
    m.a = turned ? path.dx * shrunk : shrunk;
    m.b = turned ? path.dy * shrunk : 0;
    m.c = -m.b;
    m.d = m.a;
    m.e = path.x;
    m.f = path.y;
    return m;
  }

  /** A sprite for a message: one that is free, or a new one. */
  takeSprite() {
    const free = this.idle.pop();
    if (free) return free;
    const group = svg("g", { class: "message", transform: "translate(0 0)" }, this.messages);
    const body = svg("path", {}, group);
    return { group, body, matrix: group.transform.baseVal.getItem(0), kind: -1, trail: null, label: null, ring: null, detailed: false, said: "" };
  }

  /** Takes a message away; its elements serve the next one. @param {Flight} flight */
  release(flight) {
    const sprite = flight.view;
    if (!sprite) return;
    // Out of sight: hiding an element would lay out all others again.
    sprite.matrix.setTranslate(-9999, -9999);
    this.plain(sprite);
    this.idle.push(sprite);
  }

  /** Without trail and label. @param {any} sprite */
  plain(sprite) {
    if (sprite.trail) sprite.trail.style.visibility = "hidden";
    if (sprite.label) sprite.label.style.visibility = "hidden";
    sprite.detailed = false;
  }

  /** @param {any} sprite @param {Flight} flight @param {number} kind @param {boolean} turned */
  dress(sprite, flight, kind, turned) {
    const style = this.styles[flight.kind];
    const { r } = /** @type {Layout} */ (this.layout);
    const waits = flight.stage > STAGE.TRAVELLING;
    const size = Math.max(1.8, Math.min(6, r * 0.3));
    sprite.kind = kind;
    // A copy has a second outline within its own.
    sprite.body.setAttribute("d", (waits || !turned ? circle(size) : this.dart) + (flight.copy ? circle(size * 0.4) : ""));
    sprite.body.style.fill = waits || flight.copy ? "var(--paper)" : style.colour;
    sprite.body.style.stroke = waits || flight.copy ? style.colour : "var(--paper)";
    sprite.body.style.strokeWidth = waits || flight.copy ? (r < 9 ? "1.2" : "2") : r < 9 ? "0.5" : "1";
    if (flight.intervened) {
      sprite.ring ??= svg("circle", { class: "meddled" }, sprite.group);
      sprite.ring.setAttribute("r", String(size * 2.1));
    } else if (sprite.ring) {
      sprite.ring.remove();
      sprite.ring = null;
    }
    if (sprite.trail) {
      sprite.trail.style.stroke = style.colour;
      sprite.trail.setAttribute("stroke-dasharray", style.dashes);
    }
  }

  /** @param {any} sprite @param {Flight} flight @param {string} said */
  drawTrail(sprite, flight, said) {
    const style = this.styles[flight.kind];
    const layout = /** @type {Layout} */ (this.layout);
    if (!sprite.trail) {
      sprite.trail = svg("path", { class: "trail", "stroke-dasharray": style.dashes }, this.trails);
      sprite.trail.style.stroke = style.colour;
      sprite.label = svg("text", { class: "said" }, this.says);
    }
    if (!sprite.detailed) {
      sprite.trail.style.visibility = "";
      sprite.label.style.visibility = "";
      sprite.detailed = true;
    }
    const { path } = flight;
    sprite.trail.setAttribute("d", path.trail(flight.shown));
    if (sprite.said !== said) {
      sprite.said = said;
      sprite.label.textContent = said;
    }
    if (said) {
      // To the left of the direction, away from what comes the other way.
      const far = layout.text * (said.length > 2 ? 1.3 : 1.05);
      sprite.label.setAttribute("x", at(path.x + path.dy * far));
      sprite.label.setAttribute("y", at(path.y - path.dx * far + layout.text * 0.4));
    }
  }

  /**
   * Turns the hands of the clocks.
   * @param {Float64Array} shares of the tick that has begun, by place; NaN where no clock is shown
   */
  drawClocks(shares) {
    const { x, y, r } = /** @type {Layout} */ (this.layout);
    const far = r * 1.45;
    for (let place = 0; place < shares.length; place++) {
      const processor = this.processors[place];
      const share = shares[place];
      processor.clock ??= this.makeClock(x[place], y[place], far);
      const { clock } = processor;
      // A clock that does not run has no hand.
      const runs = !Number.isNaN(share);
      if (clock.runs !== runs) clock.group.classList.toggle("stopped", !runs);
      clock.runs = runs;
      if (!runs) continue;
      const angle = share * 2 * Math.PI;
      const [hx, hy] = [far * Math.sin(angle), -far * Math.cos(angle)];
      clock.hand.setAttribute("cx", at(hx));
      clock.hand.setAttribute("cy", at(hy));
      clock.arc.setAttribute("d", share > 0.004 ? `M0 ${at(-far)}A${at(far)} ${at(far)} 0 ${share > 0.5 ? 1 : 0} 1 ${at(hx)} ${at(hy)}` : "");
    }
  }

  /** @param {number} x @param {number} y @param {number} far */
  makeClock(x, y, far) {
    const group = svg("g", { class: "clock", transform: `translate(${at(x)} ${at(y)})` }, this.clocks);
    svg("circle", { class: "dial", r: at(far) }, group);
    svg("path", { class: "noon", d: `M0 ${at(-far - 3)}v6` }, group);
    const arc = svg("path", { class: "run" }, group);
    const hand = svg("circle", { class: "hand", r: 3.4 }, group);
    return { group, arc, hand, runs: true };
  }

  /**
   * Shows what is selected.
   * @param {number | null} processor
   * @param {Flight | undefined} message
   */
  select(processor, message) {
    const { x, y, r } = /** @type {Layout} */ (this.layout);
    this.chosen.classList.toggle("on", processor !== null);
    if (processor !== null && processor < x.length) {
      this.chosen.setAttribute("cx", at(x[processor]));
      this.chosen.setAttribute("cy", at(y[processor]));
    }
    this.picked.classList.toggle("on", message !== undefined);
    if (message) {
      this.picked.setAttribute("r", at(Math.max(7, Math.min(12, r * 0.7))));
      this.picked.setAttribute("cx", at(message.path.x));
      this.picked.setAttribute("cy", at(message.path.y));
    }
  }
}

