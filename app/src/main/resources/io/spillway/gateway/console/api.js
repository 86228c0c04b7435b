// Requests to the admin API of the gateway that served this page.

const TIMEOUT_MILLIS = 15000;
// Without the user name and the key that the address may carry: a request with them in its address is refused.
const BASE = location.origin + location.pathname.replace(/console\/?$/, "");

export const session = {role: "", user: "", payloads: false, prefix: "", version: ""};
export const isOperator = () => session.role === "operator";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function address(path, parameters) {
  const url = new URL("admin/" + path, BASE);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== "" && value !== null && value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

async function send(url, options) {
  const stop = new AbortController();
  const limit = setTimeout(() => stop.abort(), TIMEOUT_MILLIS);
  try {
    const answer = await fetch(url, {...options, signal: stop.signal, cache: "no-store"}).catch(() => {
      throw new Refused(0, "The gateway does not respond");
    });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Refused(answer.status, textOf(answer.status, body));
    return body;
  } finally {
    clearTimeout(limit);
  }
}

function textOf(status, body) {
  if (status === 401) return "The gateway rejects this key. Reload the page";
  return body.detail || "The gateway responds with status " + status;
}

export const get = (path, parameters = {}) => send(address(path, parameters), {});

export async function openSession() {
  Object.assign(session, await get("session"));
}

/** Sends a change, with the header that no page of another site can send. */
export const post = (path, body) => send(address(path, {}), {
  method: "POST",
  headers: {"Content-Type": "application/json", "Spillway-CSRF": "1"},
  body: JSON.stringify(body),
});
