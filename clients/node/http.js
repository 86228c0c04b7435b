import http from "node:http";
import https from "node:https";

/** Base of the errors of this package. */
export class SpillwayError extends Error {
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** One server, to which requests are sent with a key. */
export class Server {
  /**
   * @param {string} url http://HOST:PORT or https://HOST:PORT
   * @param {string} key
   * @param {{timeoutMillis: number, keepAlive: boolean, tls?: object}} options
   */
  constructor(url, key, { timeoutMillis, keepAlive, tls }) {
    if (!/^https?:\/\/[^/]/.test(url)) {
      throw new SpillwayError("the URL must be http://HOST:PORT or https://HOST:PORT");
    }
    this.url = new URL(url);
    this.module = this.url.protocol === "https:" ? https : http;
    this.agent = keepAlive ? new this.module.Agent({ keepAlive: true, ...tls }) : false;
    this.tls = tls;
    this.timeoutMillis = timeoutMillis;
    this.authorization = `Bearer ${key.trim()}`;
  }

  /**
   * Sends a request. Rejects if there is no whole answer.
   * @returns {Promise<{status: number, retryAfterMillis: number | undefined, body: Buffer}>}
   */
  post(path, body, headers) {
    return this.#request("POST", path, body, { "Content-Length": body.length, ...headers });
  }

  /** As post. */
  get(path, headers) {
    return this.#request("GET", path, undefined, headers);
  }

  #request(method, path, body, headers) {
    return new Promise((resolve, reject) => {
      const request = this.module.request(new URL(this.url.pathname.replace(/\/$/, "") + path, this.url), {
        method,
        agent: this.agent,
        timeout: this.timeoutMillis,
        headers: { Authorization: this.authorization, ...headers },
        ...(this.agent ? {} : this.tls),
      });
      request.on("timeout", () => request.destroy(new Error(`no answer in ${this.timeoutMillis} ms`)));
      request.on("error", reject);
      request.on("response", (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve({
          status: response.statusCode,
          retryAfterMillis: seconds(response.headers["retry-after"]),
          body: Buffer.concat(chunks),
        }));
      });
      request.end(body);
    });
  }

  close() {
    if (this.agent) {
      this.agent.destroy();
    }
  }
}

function seconds(text) {
  return /^\d+$/.test(text ?? "") ? Number(text) * 1000 : undefined;
}
