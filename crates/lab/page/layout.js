/**
 * Where processors and links are drawn.
 *
 * A ring is a circle as long as it has room, then an ellipse, then a ring in folds; a complete network is a circle, then a
 * disc; shared cells stand inside the circle of the sites.
 */

/**
 * @typedef {{topology: string, n: number, sites?: number, cells?: number, bidirectional?: boolean, untimed?: boolean, phased?: boolean, ticks?: number[], "half-duplex"?: boolean}} Network
 * @typedef {object} Layout
 * @property {"circle" | "ellipse" | "folded" | "disc"} shape
 * @property {number} n
 * @property {number} width
 * @property {number} height
 * @property {Float32Array} x
 * @property {Float32Array} y
 * @property {Float32Array} outX outward, a unit vector: where labels go
 * @property {Float32Array} outY
 * @property {number} r the radius of a processor
 * @property {number} cx the middle
 * @property {number} cy
 * @property {number} rx half the width of the ring
 * @property {number} ry
 * @property {number} hole the radius of the free middle, 0 where links cross it
 * @property {boolean} ring
 * @property {boolean} twoWay messages travel in both directions between neighbours
 * @property {boolean} half half-duplex links
 * @property {number} sites
 * @property {boolean} clocks clocks are drawn around processors
 * @property {number} reach from the middle of a processor to where its links begin
 * @property {number} text the size of the text beside processors
 * @property {number} lane how far a message keeps to the right of a two-way link
 */

/** More links of a complete network are drawn only while they carry a message. */
const MOST_CHORDS = 24;
/** More clocks are not drawn. */
const MOST_CLOCKS = 64;
/** A ring of more processors has straight links. */
const MOST_ARCS = 40;
const TURN = 2 * Math.PI;

/**
 * Points at equal distances along a closed line.
 * @param {number[][]} line its corners; the last is joined to the first
 * @param {number} n
 * @returns {{points: Float32Array, step: number}} x and y by turns
 */
export function resample(line, n) {
  const lengths = [0];
  for (let i = 1; i <= line.length; i++) {
    const [[x0, y0], [x1, y1]] = [line[i - 1], line[i % line.length]];
    lengths.push(lengths[i - 1] + Math.hypot(x1 - x0, y1 - y0));
  }
  const step = lengths[line.length] / n;
  const points = new Float32Array(2 * n);
  for (let place = 0, i = 0; place < n; place++) {
    const at = place * step;
    while (lengths[i + 1] < at) i++;
    const share = (at - lengths[i]) / (lengths[i + 1] - lengths[i] || 1);
    const [[x0, y0], [x1, y1]] = [line[i], line[(i + 1) % line.length]];
    points[2 * place] = x0 + (x1 - x0) * share;
    points[2 * place + 1] = y0 + (y1 - y0) * share;
  }
  return { points, step };
}

/** The corners of an ellipse, from the top, clockwise. @param {number} rx @param {number} ry */
function ellipse(rx, ry) {
  return Array.from({ length: 720 }, (_, i) => [rx * Math.sin((TURN * i) / 720), -ry * Math.cos((TURN * i) / 720)]);
}

/**
 * A closed line that goes out and in as often as that, between half the radius and the radius.
 * @param {number} rx @param {number} ry @param {number} folds
 */
function folds(rx, ry, folds) {
  /** @type {number[][]} */
  const line = [];
  const point = (/** @type {number} */ angle, /** @type {number} */ far) =>
    line.push([rx * far * Math.sin(angle), -ry * far * Math.cos(angle)]);
  for (let fold = 0; fold < 2 * folds; fold++) {
    const angle = (TURN * (fold - 0.5)) / (2 * folds);
    const [from, to] = fold % 2 ? [1, 0.5] : [0.5, 1];
    // Rounded corners: the ends of a spoke bend towards its neighbours.
    for (let i = 0; i <= 8; i++) point(angle, from + ((to - from) * i) / 8);
  }
  return line;
}

/** A folded ring: as many folds as make neighbours along the line as distant as neighbouring spokes are inside.
 * @param {number} n @param {number} rx @param {number} ry */
function folded(n, rx, ry) {
  let best = null;
  const guess = Math.max(2, Math.round(Math.sqrt(n * 1.55)));
  for (let count = Math.max(2, Math.floor(guess * 0.6)); count <= guess * 1.4 + 2; count++) {
    const { points, step } = resample(folds(rx, ry, count), n);
    const gap = (TURN * 0.5 * Math.min(rx, ry)) / (2 * count);
    const space = Math.min(step, gap * 1.12);
    if (!best || space > best.space) best = { points, space };
    if (n > 3000 && count > guess) break;
  }
  return /** @type {{points: Float32Array, space: number}} */ (best);
}

/**
 * Whether a run has clocks worth drawing: those that tick with every unit of time tell nothing.
 * @param {Network} run
 */
export const hasClocks = ({ n, cells = 0, untimed, ticks = [] }) => !untimed && n - cells <= MOST_CLOCKS && ticks.some((tick) => tick > 1);

/**
 * The layout of a network in a rectangle.
 * @param {Network} run
 * @param {number} width
 * @param {number} height
 * @param {number} [inset] kept free at the left and at the right end
 * @returns {Layout}
 */
export function layoutOf(run, width, height, inset = 0) {
  const n = run.n;
  const cells = run.cells ?? 0;
  const sites = n - cells;
  const ring = run.topology !== "complete";
  const twoWay = run.topology === "bidirectional-ring";
  const half = Boolean(run["half-duplex"]);
  const largest = Math.max(18, Math.min(34, Math.min(width, height) / 17));
  // In a narrow picture of a network that has no free middle, time stands above it.
  const head = !ring && width < 520 ? 30 : 0;
  const lowest = sites % 2 === 1 && sites > 2 && sites < 10 ? Math.cos(Math.PI / sites) : 1;
  const [cx, middle] = [width / 2, height / 2];
  /** @type {Layout} */
  const layout = {
    shape: "circle", n, width, height, x: new Float32Array(n), y: new Float32Array(n), outX: new Float32Array(n),
    outY: new Float32Array(n), r: largest, cx, cy: middle, rx: 0, ry: 0, hole: 0, ring, twoWay, half, sites, lane: 0, reach: 0,
    clocks: hasClocks(run), text: Math.max(11, Math.min(16, Math.min(width, height) / 44)),
  };
  let margin = 0;
  const size = (/** @type {number} */ space, /** @type {number} */ most) => Math.max(1.1, Math.min(most, space * (layout.clocks ? 0.24 : 0.33)));
  for (let i = 0; i < 4; i++) {
    margin = layout.r < 9 ? layout.r * 2 + 6 : layout.r * 1.55 + 13 + labelLines(layout, run) * layout.text * 1.25;
    // Text beside a processor needs more room than text above it.
    const side = layout.r < 9 ? margin : layout.r * 1.55 + 8 + layout.text * (width < 520 || n > 20 ? 1.5 : 4.3);
    const [across, high] = [width / 2 - side - inset, (height - head) / 2 - margin];
    // An odd number of processors leaves room below: the lowest are not opposite to the highest.
    layout.rx = layout.ry = Math.max(8, Math.min(across, (2 * high) / (1 + lowest)));
    layout.cy = head + (height - head) / 2 + (layout.ry * (1 - lowest)) / 2;
    if (sites > 30) {
      const stretch = 1.75;
      layout.rx = Math.max(8, Math.min(across, high * stretch));
      layout.ry = Math.max(8, Math.min(high, across * stretch));
      layout.shape = layout.rx === layout.ry ? "circle" : "ellipse";
    }
    const around = Math.PI * (layout.rx + layout.ry);
    layout.r = size(around / Math.max(sites, 3), largest);
    // Where clocks make processors too small for their names, there are none.
    layout.clocks &&= layout.r >= 9;
  }
  const { cy } = layout;
  let { points, step } = resample(ellipse(layout.rx, layout.ry), sites);
  if (layout.r < 6 && ring) {
    const fold = folded(sites, layout.rx, layout.ry);
    if (fold.space > 1.3 * step) {
      layout.shape = "folded";
      points = fold.points;
      layout.r = size(fold.space * 0.8, 9);
    }
  } else if (layout.r < 5 && !cells) {
    layout.shape = "disc";
    points = sunflower(sites, layout.rx, layout.ry);
    layout.r = size(Math.sqrt((Math.PI * layout.rx * layout.ry) / sites), largest);
  }
  for (let place = 0; place < sites; place++) {
    put(layout, place, cx + points[2 * place], cy + points[2 * place + 1]);
  }
  for (let cell = 0; cell < cells; cell++) {
    const angle = (TURN * (cell + 0.5)) / cells;
    const far = cells === 1 ? 0 : 0.46;
    put(layout, sites + cell, cx + layout.rx * far * Math.sin(angle), cy - layout.ry * far * Math.cos(angle));
  }
  if (cells > 1) layout.r = Math.min(layout.r, size((TURN * 0.46 * layout.ry) / cells, largest));
  const inner = layout.shape === "folded" ? 0.5 : 1;
  layout.hole = ring ? Math.max(0, Math.min(layout.rx, layout.ry) * inner - layout.r * 2 - (layout.r < 9 ? 8 : 12)) : 0;
  layout.reach = layout.r * (layout.clocks ? 1.5 : 1.08);
  layout.lane = twoWay ? Math.max(1, layout.r * 0.24) : 0;
  return layout;
}

/** The number of lines of text beside a processor. @param {Layout} layout @param {Network} run */
const labelLines = ({ n, width, clocks }, { phased }) => (width < 520 || n > 20 ? 1 : 1 + Number(clocks) + Number(phased ?? false));

/** @param {number} n @param {number} rx @param {number} ry */
function sunflower(n, rx, ry) {
  const points = new Float32Array(2 * n);
  const golden = Math.PI * (3 - Math.sqrt(5));
  for (let i = 0; i < n; i++) {
    const far = Math.sqrt((i + 0.5) / n);
    points[2 * i] = rx * far * Math.sin(i * golden);
    points[2 * i + 1] = -ry * far * Math.cos(i * golden);
  }
  return points;
}

/** @param {Layout} layout @param {number} place @param {number} x @param {number} y */
function put(layout, place, x, y) {
  layout.x[place] = x;
  layout.y[place] = y;
  const far = Math.hypot(x - layout.cx, y - layout.cy) || 1;
  layout.outX[place] = (x - layout.cx) / far;
  layout.outY[place] = far === 1 && x === layout.cx ? -1 : (y - layout.cy) / far;
}

/** Whether links are drawn as arcs of the circle. @param {Layout} layout */
export const hasArcs = (layout) => layout.ring && layout.shape === "circle" && layout.n <= MOST_ARCS;

/** Whether the links of a complete network are drawn before they are used. @param {Layout} layout */
export const hasChords = (layout) =>
  !layout.ring && (layout.sites < layout.n ? layout.sites * (layout.n - layout.sites) <= 200 : layout.n <= MOST_CHORDS);

/** A message's path, in numbers that are filled in: an arc or a quadratic curve. */
export class Path {
  constructor() {
    this.arc = false;
    this.a = this.b = this.c = this.d = this.e = this.f = 0;
    this.length = 1;
    /** The last point asked for, and the direction there. */
    this.x = this.y = 0;
    this.dx = 1;
    this.dy = 0;
  }

  /**
   * The path from one processor to another, from border to border.
   * @param {Layout} layout
   * @param {number} from
   * @param {number} to
   * @param {number} port at which messages arrive: it tells the directions of a ring of two apart
   */
  set(layout, from, to, port) {
    const { n, x, y } = layout;
    if (hasArcs(layout)) {
      const clockwise = (from + 1) % n === to && !(n === 2 && layout.twoWay && port === 1);
      const sense = clockwise ? 1 : -1;
      const radius = layout.rx + sense * layout.lane;
      const trim = n === 1 ? 0.3 : Math.min(layout.reach / layout.rx, Math.PI / n / 1.4);
      this.arc = true;
      this.a = layout.cx;
      this.b = layout.cy;
      this.c = radius;
      this.d = (TURN * from) / n + sense * trim;
      this.e = (TURN * from) / n + sense * (TURN / n - trim);
      this.length = radius * Math.abs(this.e - this.d);
      return;
    }
    this.arc = false;
    const [vx, vy] = [x[to] - x[from], y[to] - y[from]];
    const length = Math.hypot(vx, vy) || 1;
    const [ux, uy] = [vx / length, vy / length];
    const trim = Math.min(layout.reach, length / 2.4);
    this.length = length - 2 * trim;
    // To the right of the direction: opposite directions keep apart.
    const off = layout.ring ? layout.lane : 0;
    const bend = layout.ring || layout.shape === "disc" ? 0 : Math.min(length * 0.07, 14);
    this.a = x[from] + ux * trim - uy * off;
    this.b = y[from] + uy * trim + ux * off;
    this.e = x[to] - ux * trim - uy * off;
    this.f = y[to] - uy * trim + ux * off;
    this.c = (this.a + this.e) / 2 - uy * bend;
    this.d = (this.b + this.f) / 2 + ux * bend;
  }

  /** Goes to the point after a share of the path. @param {number} p from 0 to 1 */
  at(p) {
    if (this.arc) {
      const angle = this.d + (this.e - this.d) * p;
      const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
      const sense = this.e > this.d ? 1 : -1;
      this.x = this.a + this.c * sin;
      this.y = this.b - this.c * cos;
      this.dx = sense * cos;
      this.dy = sense * sin;
      return;
    }
    const q = 1 - p;
    this.x = q * q * this.a + 2 * p * q * this.c + p * p * this.e;
    this.y = q * q * this.b + 2 * p * q * this.d + p * p * this.f;
    const [dx, dy] = [q * (this.c - this.a) + p * (this.e - this.c), q * (this.d - this.b) + p * (this.f - this.d)];
    const length = Math.hypot(dx, dy) || 1;
    this.dx = dx / length;
    this.dy = dy / length;
  }

  /** SVG's path from the sender to the point last asked for. @param {number} p its share */
  trail(p) {
    const at = (/** @type {number} */ v) => Math.round(v * 10) / 10;
    if (this.arc) {
      const start = `M${at(this.a + this.c * Math.sin(this.d))} ${at(this.b - this.c * Math.cos(this.d))}`;
      const sweep = this.e > this.d ? 1 : 0;
      const large = Math.abs(this.e - this.d) * p > Math.PI ? 1 : 0;
      return `${start}A${at(this.c)} ${at(this.c)} 0 ${large} ${sweep} ${at(this.x)} ${at(this.y)}`;
    }
    const [cx, cy] = [this.a + (this.c - this.a) * p, this.b + (this.d - this.b) * p];
    return `M${at(this.a)} ${at(this.b)}Q${at(cx)} ${at(cy)} ${at(this.x)} ${at(this.y)}`;
  }
}
