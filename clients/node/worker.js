import { setTimeout as sleep } from "node:timers/promises";
import { Server, SpillwayError } from "./http.js";

const MOST_ANSWERS = 100;
const MOST_TEXT = 1_000;
const MOST_LATER_MILLIS = 30 * 24 * 3_600_000;
/** Control characters and halves of characters take six bytes in JSON, with which 100 answers would be too large. */
const NOT_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\p{Surrogate}]/gu;
/** Statuses of a request that is wrong itself: sent again as it is, it is refused again. */
const WRONG = new Set([400, 413]);
const LEASE_WAIT_MILLIS = 2_000;
const HTTP_TIMEOUT_MILLIS = 30_000;
const PAUSE_MILLIS = 1_000;

/** No later attempt can succeed: the item becomes a dead letter with this reason. */
export class Dead extends SpillwayError {}

/** The destination cannot work now. That is not the item's fault, and does not count towards its attempts. */
export class Unavailable extends SpillwayError {}

/** It is too early for the item, and nothing was attempted. */
export class Later extends SpillwayError {
  constructor(millis) {
    if (typeof millis !== "number" || Number.isNaN(millis)) {
      throw new RangeError("millis must be a number");
    }
    super(`later in ${millis} ms`);
    this.millis = millis;
  }
}

/** Item that was leased. */
class Item {
  #receipt;
  #post;

  constructor(json, post) {
    for (const name of ["tenant", "id", "workload", "attempt", "lane", "enqueuedAt", "contentType"]) {
      this[name] = json[name];
    }
    this.attributes = { ...json.attributes };
    this.headers = json.headers.map((header) => ({ name: header.name, value: bytes(header, "value") }));
    this.payload = bytes(json, "payload");
    this.leaseUntil = new Date(json.leaseUntil);
    this.#receipt = json.receipt;
    this.#post = post;
  }

  /** Extends the lease, by default by its first length, and resolves to its end. */
  async renew(millis) {
    const answer = { outcome: "renew", receipt: this.#receipt };
    if (millis !== undefined) {
      answer.leaseMillis = Math.max(1, Math.round(millis));
    }
    const result = (await this.#post("answer", { answers: [answer] })).results[0];
    if (result.status !== 200) {
      throw new SpillwayError(`the lease of ${this.id} could not be renewed: ${result.detail}`);
    }
    this.leaseUntil = new Date(result.leaseUntil);
    return this.leaseUntil;
  }

  /** @internal */
  answered(outcome) {
    return { item: this, json: { ...outcome, receipt: this.#receipt } };
  }
}

/** Leases as many items as it may handle at a time, and hands each to the handler. Started once. */
export class Worker {
  #server;
  #handle;
  #concurrency;
  #signals;
  #log;
  #stopping = new AbortController();
  #running = 0;
  /** Resolves the wait for a handler to end. */
  #ended = () => {};
  /** Answers to send; each item that runs, or whose answer waits, counts in #running. */
  #answers = [];
  #isSending = false;

  constructor(url, key, handle, { concurrency = 4, signals = true, log = console.warn, tls } = {}) {
    if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 100)) {
      throw new SpillwayError("concurrency must be from 1 to 100");
    }
    // A new connection for each request, by which a load balancer may choose another process.
    this.#server = new Server(url, key, { timeoutMillis: HTTP_TIMEOUT_MILLIS, keepAlive: false, tls });
    this.#handle = handle;
    this.#concurrency = concurrency;
    this.#signals = signals ? ["SIGTERM", "SIGINT"] : [];
    this.#log = log;
  }

  /** Works until a stop, a SIGTERM or a SIGINT; a second signal ends the process. */
  async run() {
    const stop = () => this.stop();
    this.#signals.forEach((signal) => process.once(signal, stop));
    try {
      while (!this.#stopping.signal.aborted) {
        await this.#lease();
      }
      while (this.#running > 0) {
        await new Promise((resolve) => { this.#ended = resolve; });
      }
    } finally {
      this.#signals.forEach((signal) => process.off(signal, stop));
    }
  }

  /** Makes run end after the items that the worker has, in at most two seconds and their time. */
  stop() {
    this.#stopping.abort();
  }

  /** Leases an item for each that may be handled now, after a wait for the first one of them. */
  async #lease() {
    while (this.#running >= this.#concurrency) {
      await new Promise((resolve) => { this.#ended = resolve; });
    }
    if (this.#stopping.signal.aborted) {
      return;
    }
    try {
      const { items } = await this.#post("lease", {
        max: this.#concurrency - this.#running, waitMillis: LEASE_WAIT_MILLIS });
      for (const json of items) {
        this.#running++;
        void this.#work(new Item(json, (action, members) => this.#post(action, members)));
      }
    } catch (error) {
      // What was leased nevertheless comes again when its lease has ended.
      this.#log(`Nothing could be leased; it is tried again: ${error.message}`);
      await sleep(PAUSE_MILLIS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  async #work(item) {
    this.#answers.push(item.answered(await this.#outcome(item)));
    await this.#sendAll();
  }

  async #outcome(item) {
    try {
      await this.#handle(item);
      return { outcome: "done" };
    } catch (error) {
      const text = textOf(error);
      if (error instanceof Dead) {
        return { outcome: "dead", reason: text || "dead" };
      } else if (error instanceof Later) {
        return { outcome: "later", afterMillis: Math.min(Math.max(0, Math.round(error.millis)), MOST_LATER_MILLIS) };
      } else if (error instanceof Unavailable) {
        return { outcome: "unavailable", detail: text };
      }
      return { outcome: "retry", detail: text };
    }
  }

  /** Sends the answers that wait, together, and what nobody receives again until its lease ends. */
  async #sendAll() {
    if (this.#isSending) {
      return;
    }
    this.#isSending = true;
    while (this.#answers.length > 0) {
      const batch = this.#answers.splice(0, MOST_ANSWERS);
      const again = await this.#send(batch);
      this.#running -= batch.length - again.length;
      this.#ended();
      if (again.length > 0) {
        setTimeout(() => {
          this.#answers.push(...again);
          void this.#sendAll();
        }, PAUSE_MILLIS);
      }
    }
    this.#isSending = false;
  }

  /** Sends answers in one request, and resolves to those to send again. */
  async #send(batch) {
    let results;
    try {
      ({ results } = await this.#post("answer", { answers: batch.map((answer) => answer.json) }));
      if (results.length !== batch.length) {
        throw new SpillwayError("not an answer for each");
      }
    } catch (error) {
      const isRefused = WRONG.has(error.status);
      if (isRefused && batch.length > 1) {
        // One that is wrong must not take the others with it.
        const half = batch.length >> 1;
        return [...await this.#send(batch.slice(0, half)), ...await this.#send(batch.slice(half))];
      }
      results = batch.map(() => ({ status: isRefused ? error.status : 503, detail: error.message }));
    }
    return batch.filter(({ item }, index) => {
      const { status, detail } = results[index];
      const isAgain = status >= 500 && item.leaseUntil > new Date();
      if (status !== 200) {
        this.#log(isAgain ? `The answer for item ${item.id} is sent again: ${detail}`
          : `The answer for item ${item.id} of ${item.tenant} does not count, and it comes again: ${detail}`);
      }
      return isAgain;
    });
  }

  async #post(action, members) {
    const { status, body } = await this.#server.post(
      `/v1/work:${action}`, Buffer.from(JSON.stringify(members)), { "Content-Type": "application/json" });
    if (status !== 200) {
      throw Object.assign(new SpillwayError(`${status} ${body.toString().slice(0, 500)}`), { status });
    }
    return JSON.parse(body.toString());
  }
}

/** Returns the start of the text of what was thrown, with at most three bytes of JSON for each unit of UTF-16. */
function textOf(error) {
  try {
    return String(error?.message ?? error).slice(0, MOST_TEXT).replace(NOT_TEXT, "\ufffd");
  } catch {
    return typeof error;
  }
}

/** Returns a member that is text, or base64 under another name; null for none. */
function bytes(json, name) {
  const value = json[name];
  if (typeof value === "string") {
    return Buffer.from(value);
  }
  const base64 = json[`${name}Base64`];
  return base64 === undefined ? null : Buffer.from(base64, "base64");
}
