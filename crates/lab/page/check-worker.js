/**
 * Checks every schedule of a small instance in a worker, so that the page stays alive. The worker is made of a function's
 * text: a page in one file has no second one to load.
 */

/** A slice of a check, in seconds: how long it may take until the worker reports, and can be stopped. */
const SLICE = 0.5;

/** Everything that the worker runs; it stands alone. @param {number} slice */
function work(slice) {
  const scope = /** @type {any} */ (globalThis);
  let exports = /** @type {any} */ (null);
  const ask = (/** @type {object} */ request) => {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const into = exports.lab_alloc(bytes.length);
    new Uint8Array(exports.memory.buffer, into, bytes.length).set(bytes);
    const at = exports.lab_request(into, bytes.length) >>> 0;
    const length = new DataView(exports.memory.buffer).getUint32(at, true);
    const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at + 4, length)));
    if (answer.error) throw answer.error;
    return answer.ok;
  };
  scope.onmessage = async (/** @type {MessageEvent} */ { data: { module, line } }) => {
    try {
      const instance = await WebAssembly.instantiate(module, { lab: { now: () => performance.now() / 1000 } });
      exports = instance.exports;
      const { check } = ask({ op: "check", line });
      for (;;) {
        const progress = ask({ op: "check-step", check, seconds: slice });
        scope.postMessage({ progress });
        if (progress.done) return;
      }
    } catch (error) {
      const known = /** @type {any} */ (error);
      const memory = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
      const message = memory ? "The state space does not fit into the memory of the browser" : (known.message ?? String(error));
      scope.postMessage({ error: { message, advice: memory ? `run it in a terminal: ${line}` : "", allowed: known.allowed ?? "" } });
    }
  };
}

/** @typedef {{done: boolean, states: number, seconds: number, verdict?: string, text?: string, counterexample?: string}} CheckProgress */

/** A check that runs. */
export class CheckWorker {
  /**
   * @param {WebAssembly.Module} module
   * @param {string} line of `check`
   * @param {{progress: (progress: CheckProgress) => void, failed: (error: {message: string, advice?: string, allowed?: string}) => void}} told
   */
  constructor(module, line, told) {
    const url = URL.createObjectURL(new Blob([`(${work})(${SLICE})`], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = ({ data }) => {
      if (data.error) {
        this.stop();
        told.failed(data.error);
        return;
      }
      if (data.progress.done) this.stop();
      told.progress(data.progress);
    };
    this.worker.onerror = (event) => {
      this.stop();
      told.failed({ message: `The check has stopped (${event.message ?? "its worker could not start"})`, advice: `run it in a terminal: ${line}` });
    };
    this.worker.postMessage({ module, line });
  }

  /** Ends it. */
  stop() {
    this.worker.terminate();
  }
}
