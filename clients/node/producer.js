import { randomUUID } from "node:crypto";
import { Server, SpillwayError } from "./http.js";

/** The gateway answers these when a later attempt can succeed. */
const TRY_AGAIN = new Set([408, 429, 502, 503, 504]);
const LONGEST_WAIT_MILLIS = 30_000;

/** The gateway will never accept the item as it is. */
export class Refused extends SpillwayError {
  constructor(status, detail) {
    super(`${status} ${detail}`);
    this.status = status;
  }
}

/** The item was not confirmed in time. It may have been stored: send it again with the same id. */
export class NotAccepted extends SpillwayError {
  constructor(id, cause) {
    super(`item ${id}: ${cause}`);
    this.id = id;
  }
}

/** Sends items to a gateway, over connections that are kept. */
export class Producer {
  #server;
  #timeoutMillis;
  #closed = false;
  #waits = new Set();

  constructor(url, key, { timeoutMillis = 60_000, tls } = {}) {
    this.#timeoutMillis = timeoutMillis;
    this.#server = new Server(url, key, { timeoutMillis, keepAlive: true, tls });
  }

  async send(payload, options = {}) {
    // The same id in every attempt, by which the queue drops an item that was stored twice.
    const id = options.id ?? randomUUID();
    const headers = {
      ...options.headers,
      "Content-Type": options.contentType ?? "application/octet-stream",
      "Idempotency-Key": id,
    };
    const optional = {
      "Spillway-Tenant": options.tenant,
      "Spillway-Workload": options.workload,
      "Spillway-Priority": options.priority,
      "Spillway-Order-Key": options.orderKey,
      "Spillway-Deliver-At": options.deliverAt instanceof Date ? options.deliverAt.toISOString() : options.deliverAt,
      "Spillway-Attributes": options.attributes && ascii(JSON.stringify(options.attributes)),
    };
    for (const [name, value] of Object.entries(optional)) {
      if (value !== undefined) {
        headers[name] = String(value);
      }
    }
    return this.#send(Buffer.from(payload), id, headers);
  }

  async state(id, { tenant } = {}) {
    const { status, body } = await this.#server.get(
      `/v1/items/${encodeURIComponent(id)}`, tenant === undefined ? {} : { "Spillway-Tenant": tenant });
    if (status === 404) {
      return undefined;
    }
    if (status !== 200) {
      throw new Refused(status, detailOf(body));
    }
    return JSON.parse(body.toString());
  }

  async #send(body, id, headers) {
    const deadline = performance.now() + this.#timeoutMillis;
    for (let attempt = 1; ; attempt++) {
      let wait = Math.min(LONGEST_WAIT_MILLIS, 100 * 2 ** Math.min(attempt, 12)) * (0.5 + Math.random() / 2);
      let cause;
      try {
        const { status, retryAfterMillis, body: answer } = await this.#server.post("/v1/items", body, headers);
        if (status === 202) {
          return id;
        }
        cause = `${status} ${detailOf(answer)}`;
        if (!TRY_AGAIN.has(status)) {
          throw new Refused(status, detailOf(answer));
        }
        wait = Math.max(wait, retryAfterMillis ?? 0);
      } catch (error) {
        // Headers that cannot be sent are a TypeError; what the network does is none.
        if (error instanceof Refused || error instanceof TypeError) {
          throw error;
        }
        cause = `no answer: ${error.message}`;
      }
      if (performance.now() + wait > deadline) {
        throw new NotAccepted(id, cause);
      }
      await this.#wait(wait);
      if (this.#closed) {
        throw new NotAccepted(id, `the producer was closed; before that ${cause}`);
      }
    }
  }

  #wait(millis) {
    return this.#closed ? Promise.resolve() : new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, millis);
      this.#waits.add(end);
    });
  }

  /** Rejects sends that wait, with NotAccepted, and closes the connections. */
  close() {
    this.#closed = true;
    [...this.#waits].forEach((end) => end());
    this.#server.close();
  }
}

function ascii(json) {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function detailOf(body) {
  try {
    return JSON.parse(body.toString()).detail;
  } catch {
    return body.toString().slice(0, 200);
  }
}
