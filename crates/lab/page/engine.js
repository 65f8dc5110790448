/**
 * Loads the engine, the Rust code of the repository compiled to WebAssembly, and speaks with it: requests as JSON, frames
 * as packed bytes. Nothing of a protocol is known here.
 */

/** The version of the interface that this page speaks: what `lab_version` must answer. */
export const ABI_VERSION = 1;

/** The name of the module beside the page. */
const MODULE = "lab.wasm.gz";

const EXPORTS = ["memory", "lab_alloc", "lab_request", "lab_frame", "lab_version"];

/** An error that a user can act on: what is wrong, and what is allowed or what to do. */
export class LabError extends Error {
  /**
   * @param {string} message what is wrong
   * @param {string} [advice] what to do
   * @param {string} [allowed] what is allowed
   */
  constructor(message, advice = "", allowed = "") {
    super(message);
    this.name = "LabError";
    this.advice = advice;
    this.allowed = allowed;
  }
}

/**
 * What is wrong as sentences: the first, and those that follow.
 * @param {{message: string, advice?: string, allowed?: string}} error
 * @returns {[string, string]}
 */
export function errorSentences({ message, advice, allowed }) {
  const sentence = (/** @type {string} */ text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/u.test(text) ? "" : "."}`;
  const more = [allowed && `Allowed: ${allowed}${allowed.endsWith(".") ? "" : "."}`, advice && sentence(advice)];
  return [sentence(message), more.filter(Boolean).join(" ")];
}

/**
 * A message in flight.
 * @typedef {object} FrameMessage
 * @property {number} number
 * @property {number} sent
 * @property {number} arrives NaN where it is not known
 * @property {number} from
 * @property {number} to
 * @property {number} kind an index into the kinds of the run
 * @property {number} stage 0 travelling, 1 waiting for its link, 2 behind another, 3 held, 4 queued at its receiver
 * @property {boolean} copy
 * @property {boolean} intervened
 * @property {number} port
 */

/**
 * What a picture of a moment shows.
 * @typedef {object} Frame
 * @property {number} n
 * @property {Uint8Array} state the part of each processor, as `ProcessorState` of the simulator numbers them
 * @property {Uint8Array} bits 1 crashed, 2 paused, 4 changed by the last move
 * @property {Uint16Array} phase
 * @property {FrameMessage[]} messages
 * @property {[number, number][]} cuts the ends of the links that are cut
 */

/** @param {unknown} error */
const sentence = (error) => String(error instanceof Error ? error.message : error).replace(/\.$/u, "");

/**
 * Fetches the module, with a sentence for each reason why that can fail.
 * @returns {Promise<ArrayBuffer>}
 */
async function fetchModule() {
  if (location.protocol === "file:") {
    throw new LabError(
      "A browser does not read the engine from a folder",
      "run `ringleader lab`, which serves the page, or make one file that works offline: `ringleader export TRACE --html FILE`",
    );
  }
  let response;
  try {
    response = await fetch(MODULE);
  } catch (error) {
    throw new LabError(`The engine, ${MODULE}, cannot be fetched (${sentence(error)})`, "see whether `ringleader lab` still runs, then reload the page");
  }
  if (!response.ok) {
    throw new LabError(
      `The engine, ${MODULE}, is missing: the server answers ${response.status}`,
      "copy it beside index.html (`cargo xtask lab` builds it), or run `ringleader lab`",
    );
  }
  return response.arrayBuffer();
}

/**
 * Unpacks a module, if it is packed: a server may have done so already.
 * @param {ArrayBuffer} bytes
 * @returns {Promise<ArrayBuffer>}
 */
async function unpack(bytes) {
  const head = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (head[0] === 0x00 && head[1] === 0x61 && head[2] === 0x73 && head[3] === 0x6d) return bytes;
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    throw new LabError(`The engine, ${MODULE}, is something else: neither WebAssembly nor gzip`, "rebuild it with `cargo xtask lab`");
  }
  if (typeof DecompressionStream === "undefined") {
    throw new LabError("This browser cannot unpack the engine: it has no DecompressionStream", "use Chromium 80, Firefox 113, Safari 16.4 or later");
  }
  try {
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  } catch {
    throw new LabError(`The engine, ${MODULE}, is corrupt: it cannot be unpacked`, "reload without the cache (Ctrl+Shift+R), or rebuild it with `cargo xtask lab`");
  }
}

/**
 * Compiles and instantiates a module.
 * @param {ArrayBuffer} bytes
 * @returns {Promise<{module: WebAssembly.Module, exports: any}>}
 */
async function instantiate(bytes) {
  if (typeof WebAssembly === "undefined") {
    throw new LabError("This browser has no WebAssembly", "allow it for this page, or use another browser");
  }
  let module;
  try {
    module = await WebAssembly.compile(bytes);
  } catch (error) {
    throw new LabError(`The engine, ${MODULE}, is corrupt: it cannot be compiled (${sentence(error)})`, "reload without the cache (Ctrl+Shift+R), or rebuild it with `cargo xtask lab`");
  }
  const stale = (/** @type {string} */ why) =>
    new LabError(`The engine, ${MODULE}, and the page are of different versions: ${why}`, "reload without the cache (Ctrl+Shift+R), or rebuild it with `cargo xtask lab`");
  let instance;
  try {
    instance = await WebAssembly.instantiate(module, { lab: { now: () => performance.now() / 1000 } });
  } catch (error) {
    throw stale(sentence(error));
  }
  const missing = EXPORTS.filter((name) => !(name in instance.exports));
  if (missing.length > 0) throw stale(`it has no ${missing.join(", ")}`);
  const exports = /** @type {any} */ (instance.exports);
  const version = exports.lab_version();
  if (version !== ABI_VERSION) throw stale(`it speaks version ${version} of their interface, the page version ${ABI_VERSION}`);
  return { module, exports };
}

/** The engine. Everything is synchronous once it is loaded. */
export class Engine {
  /**
   * @param {WebAssembly.Module} module
   * @param {any} exports
   */
  constructor(module, exports) {
    /** The compiled module, for a worker that checks. */
    this.module = module;
    this.exports = exports;
    this.dead = false;
    /** @type {any} */
    this.known = null;
  }

  /**
   * Loads the engine.
   * @param {{wasm?: ArrayBuffer}} [from] the module itself, in a page that carries it along
   * @returns {Promise<Engine>}
   */
  static async load({ wasm } = {}) {
    const { module, exports } = await instantiate(await unpack(wasm ?? (await fetchModule())));
    return new Engine(module, exports);
  }

  /** The catalogue, requested once. */
  catalogue() {
    this.known ??= this.request("catalogue");
    return this.known;
  }

  /**
   * Makes a request.
   * @param {string} op
   * @param {object} [fields]
   * @returns {any} its answer
   */
  request(op, fields = {}) {
    const bytes = new TextEncoder().encode(JSON.stringify({ op, ...fields }));
    const answer = this.guarded(() => {
      const pointer = this.exports.lab_alloc(bytes.length);
      new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
      return JSON.parse(new TextDecoder().decode(this.answer(this.exports.lab_request(pointer, bytes.length))));
    });
    if (answer.error) throw new LabError(answer.error.message, "", answer.error.allowed ?? "");
    return answer.ok;
  }

  /**
   * The picture of the present moment of a session.
   * @param {number} session
   * @returns {Frame}
   */
  frame(session) {
    return this.guarded(() => decodeFrame(this.answer(this.exports.lab_frame(session))));
  }

  /**
   * The bytes behind a pointer to their length.
   * @param {number} pointer
   */
  answer(pointer) {
    const buffer = this.exports.memory.buffer;
    const length = new DataView(buffer).getUint32(pointer >>> 0, true);
    return new Uint8Array(buffer, (pointer >>> 0) + 4, length);
  }

  /**
   * Runs a call into the module. One that traps leaves it in no state to go on from.
   * @template T
   * @param {() => T} call
   * @returns {T}
   */
  guarded(call) {
    const again = "reload the page; the link in the address brings this moment back";
    if (this.dead) throw new LabError("The engine has stopped", again);
    try {
      return call();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      this.dead = true;
      throw new LabError(`The engine has stopped, probably for lack of memory (${sentence(error)})`, `${again}; a smaller run needs less`);
    }
  }
}

/**
 * Decodes a packed frame.
 * @param {Uint8Array} bytes
 * @returns {Frame}
 */
export function decodeFrame(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const n = view.getUint32(0, true);
  const count = view.getUint32(4, true);
  const state = new Uint8Array(n);
  const bits = new Uint8Array(n);
  const phase = new Uint16Array(n);
  let at = 16;
  for (let place = 0; place < n; place += 1, at += 4) {
    state[place] = bytes[at];
    bits[place] = bytes[at + 1];
    phase[place] = bytes[at + 2] | (bytes[at + 3] << 8);
  }
  at = (at + 7) & ~7;
  const messages = new Array(count);
  for (let index = 0; index < count; index += 1, at += 40) {
    const flags = view.getUint8(at + 35);
    messages[index] = {
      number: view.getFloat64(at, true),
      sent: view.getFloat64(at + 8, true),
      arrives: view.getFloat64(at + 16, true),
      from: view.getUint32(at + 24, true),
      to: view.getUint32(at + 28, true),
      kind: view.getUint16(at + 32, true),
      stage: view.getUint8(at + 34),
      copy: (flags & 1) !== 0,
      intervened: (flags & 2) !== 0,
      port: view.getUint32(at + 36, true),
    };
  }
  /** @type {[number, number][]} */
  const cuts = [];
  for (let left = view.getUint32(12, true); left > 0; left -= 1, at += 8) cuts.push([view.getUint32(at, true), view.getUint32(at + 4, true)]);
  return { n, state, bits, phase, messages, cuts };
}
