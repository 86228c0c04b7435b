// The client against a server that answers as it is told.
import assert from "node:assert/strict";
import http from "node:http";
import test from "node:test";
import { Dead, Later, NotAccepted, Producer, Refused, Unavailable, Worker } from "../index.js";

/** Starts a server; the answer is [status, headers, JSON], or nothing to close the connection. */
async function serve(t, answer) {
  const requests = [];
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      const body = Buffer.concat(chunks);
      requests.push({ path: request.url, headers: request.headers, body });
      const answered = await answer(request.url, body, requests.length);
      if (!answered) {
        request.socket.destroy();
        return;
      }
      const [status, headers, json] = answered;
      response.writeHead(status, headers).end(JSON.stringify(json));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.closeAllConnections() ?? server.close());
  return { requests, url: `http://127.0.0.1:${server.address().port}` };
}

function leased(id, { leaseMillis = 30_000, ...more } = {}) {
  return {
    tenant: "acme", id, workload: "", attempt: 1, lane: "hot", enqueuedAt: "2026-11-28T00:00:00Z",
    contentType: "text/plain", attributes: { a: "1" },
    headers: [{ name: "h", valueBase64: "/w==" }, { name: "n", value: null }], payload: "hi",
    receipt: `receipt-${id}`, leaseUntil: new Date(Date.now() + leaseMillis).toISOString(), ...more,
  };
}

const allDone = (answers) => answers.map(() => ({ status: 200 }));

/**
 * Runs a worker until each item has an answer that was accepted, at most 30 s, and resolves to the requests with
 * answers.
 */
async function work(t, items, handle, answer = allDone, { concurrency = 3, log = () => {} } = {}) {
  const waiting = [...items];
  const sent = [];
  const accepted = new Set();
  const { url } = await serve(t, async (path, body) => {
    const members = JSON.parse(body);
    if (path === "/v1/work:lease") {
      return [200, {}, { items: waiting.splice(0, members.max) }];
    }
    sent.push(members.answers);
    let status = 200;
    let results = await answer(members.answers, sent.length);
    if (!results) {
      return undefined;
    }
    if (typeof results === "number") {
      // Of the whole request; only an answer that is refused alone has ended.
      const isEnd = results === 400 && members.answers.length === 1;
      status = results;
      results = members.answers.map(() => ({ status: isEnd ? 400 : 503 }));
    }
    members.answers.forEach(({ receipt, outcome }, i) =>
      results[i].status < 500 && outcome !== "renew" && accepted.add(receipt));
    if (accepted.size === items.length) {
      worker.stop();
    }
    return [status, {}, { results }];
  });
  const worker = new Worker(url, "key", handle, { concurrency, log });
  const guard = setTimeout(() => worker.stop(), 30_000);
  await worker.run();
  clearTimeout(guard);
  return sent;
}

test("the state of an item is asked for by its id", async (t) => {
  const answers = [[200, {}, { state: "done" }], [404, {}, { detail: "unknown" }], [409, {}, { detail: "not tracked" }]];
  const { requests, url } = await serve(t, (path, body, number) => answers[number - 1]);
  const producer = new Producer(url, "key");
  assert.deepEqual(await producer.state("a/b c", { tenant: "acme" }), { state: "done" });
  assert.equal(await producer.state("b"), undefined);
  await assert.rejects(producer.state("c"), (error) => error instanceof Refused && /409 not tracked/.test(error.message));
  producer.close();
  assert.equal(requests[0].path, "/v1/items/a%2Fb%20c");
  assert.equal(requests[0].headers["spillway-tenant"], "acme");
});

test("an item is sent again with its id until it is accepted", async (t) => {
  const answers = [undefined, [503, { "Retry-After": "0" }, { detail: "busy" }], [202, {}, { id: "x" }]];
  const { requests, url } = await serve(t, (path, body, number) => answers[number - 1]);
  const producer = new Producer(url, "key\n");
  const id = await producer.send("hello", { workload: "mail", priority: 7, orderKey: "k", attributes: { order: "ä" } });
  producer.close();
  assert.deepEqual(requests.map(({ headers }) => headers["idempotency-key"]), [id, id, id]);
  const { path, headers, body } = requests[2];
  assert.equal(path, "/v1/items");
  assert.equal(body.toString(), "hello");
  assert.equal(headers.authorization, "Bearer key");
  assert.equal(headers["spillway-priority"], "7");
  assert.equal(headers["spillway-workload"], "mail");
  assert.equal(headers["spillway-order-key"], "k");
  assert.equal(headers["spillway-attributes"], '{"order":"\\u00e4"}');
});

test("an item that is wrong is refused at once", async (t) => {
  const { requests, url } = await serve(t, () => [400, {}, { detail: "id must be short" }]);
  const producer = new Producer(url, "key");
  await assert.rejects(producer.send(""), (error) =>
    error instanceof Refused && error.message === "400 id must be short");
  producer.close();
  assert.equal(requests.length, 1);
});

test("an item whose headers cannot be sent is refused at once", async (t) => {
  const { requests, url } = await serve(t, () => [202, {}, {}]);
  const producer = new Producer(url, "key", { timeoutMillis: 300 });
  for (const options of [{ id: "номер" }, { tenant: "a\nb" }, { workload: "\u0100" }, { contentType: "a\r\nb: c" },
    { headers: { "a b": "c" } }]) {
    await assert.rejects(producer.send("", options), { name: "TypeError", code: /^ERR_INVALID_(CHAR|HTTP_TOKEN)$/ });
  }
  producer.close();
  assert.equal(requests.length, 0);
});

test("an item that is not accepted in time is told with its id", async (t) => {
  const { url } = await serve(t, () => [429, { "Retry-After": "60" }, { detail: "over rate" }]);
  const producer = new Producer(url, "key", { timeoutMillis: 1_000 });
  await assert.rejects(producer.send("", { id: "mine" }), (error) =>
    error instanceof NotAccepted && error.id === "mine" && error.message.includes("over rate"));
  producer.close();
});

test("a URL without a protocol of HTTP is refused before the first item", () => {
  for (const url of ["127.0.0.1:8080", "ftp://h"]) {
    assert.throws(() => new Producer(url, "key"));
    assert.throws(() => new Worker(url, "key", () => {}));
  }
});

test("what a handler throws is the outcome", async (t) => {
  const thrown = {
    done: undefined, dead: new Dead("an empty mail"), later: new Later(1500.2), unavailable: new Unavailable("down"),
    retry: new TypeError("x"),
  };
  const sent = await work(t, Object.keys(thrown).map((id) => leased(id)), async ({ id }) => {
    if (thrown[id]) {
      throw thrown[id];
    }
  });
  const byReceipt = Object.fromEntries(sent.flat().map((answer) => [answer.receipt, answer]));
  assert.deepEqual(byReceipt["receipt-done"], { outcome: "done", receipt: "receipt-done" });
  assert.equal(byReceipt["receipt-dead"].reason, "an empty mail");
  assert.equal(byReceipt["receipt-later"].afterMillis, 1500);
  assert.equal(byReceipt["receipt-unavailable"].detail, "down");
  assert.deepEqual([byReceipt["receipt-retry"].outcome, byReceipt["receipt-retry"].detail], ["retry", "x"]);
});

test("a time to wait is at most thirty days", async (t) => {
  const millis = { most: 2_592_000_000, more: 2_592_000_001, endless: Infinity, past: -1, none: -Infinity };
  const sent = await work(t, Object.keys(millis).map((id) => leased(id)), ({ id }) => { throw new Later(millis[id]); });
  assert.deepEqual(Object.fromEntries(sent.flat().map(({ receipt, afterMillis }) => [receipt.slice(8), afterMillis])),
    { most: 2_592_000_000, more: 2_592_000_000, endless: 2_592_000_000, past: 0, none: 0 });
});

test("a time to wait that is no number is refused where it is made", () => {
  for (const wrong of [NaN, undefined, null, "60", 60n, new Date()]) {
    assert.throws(() => new Later(wrong), RangeError);
  }
});

test("an item is retried if what its handler throws cannot be told", async (t) => {
  const sent = await work(t, [leased("one")], () => { throw Object.create(null); });
  assert.equal(sent[0][0].outcome, "retry");
});

/** Resolves to the requests with answers for 9 items: one in the first, and the others in the next. */
async function together(t, refusal, most, log) {
  let handled = 0;
  let goOn;
  const arrived = new Promise((resolve) => { goOn = resolve; });
  return work(t, Array.from({ length: 9 }, (_, i) => leased(String(i))), async ({ id }) => {
    if (id !== "0") {
      await arrived;
      handled++;
    }
  }, async (answers, number) => {
    goOn();
    while (handled < 8) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return number > most ? allDone(answers) : refusal(answers, number);
  }, { concurrency: 9, log });
}

test("an answer that is refused does not take others with it", async (t) => {
  const lines = [];
  const sent = await together(t, (answers) =>
    answers.some(({ receipt }) => receipt === "receipt-5") ? 400 : allDone(answers), 12, (line) => lines.push(line));
  assert.ok(sent.length < 12, `${sent.length} requests`);
  assert.ok(sent.some((answers) => answers.length > 1));
  assert.equal(sent.filter((answers) => answers.length === 1 && answers[0].receipt === "receipt-5").length, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /item 5 of acme .*400/);
});

test("answers are sent again together if the cause is none of theirs", async (t) => {
  await Promise.all([401, 403, 408, 429, 500, 503].map(async (status) => {
    const sent = await together(t, (answers, number) => number === 2 ? status : allDone(answers), 2);
    assert.deepEqual(sent.map((answers) => answers.length), [1, 8, 8]);
  }));
});

test("a hundred answers with any text fit into a request", async (t) => {
  const thrown = { dead: Dead, unavailable: Unavailable, retry: Error };
  const characters = ["a", "ä", "€", "😀", "\u001b", "\ud800", "\n"];
  const items = Object.keys(thrown).flatMap((kind) => characters.map((character, i) =>
    leased(kind, { receipt: `${kind} ${i} `.padEnd(1_000, "r"), attributes: { kind, character } })));
  const sent = await work(t, items, ({ attributes: { kind, character } }) => {
    throw new thrown[kind](character.repeat(3_000));
  });
  for (const answers of sent) {
    const { length } = Buffer.from(JSON.stringify({ answers }));
    assert.ok(length <= answers.length * 524_288 / 100, `${length} bytes for ${answers.length}`);
  }
});

test("a text that is cut does not end in half a character", async (t) => {
  const sent = await work(t, [leased("one")], () => { throw new Dead(`${"a".repeat(999)}😀`); });
  assert.equal(sent[0][0].reason, `${"a".repeat(999)}\ufffd`);
});

test("an item has what was leased", async (t) => {
  const seen = {};
  await work(t, [leased("one"), leased("two", { payloadBase64: "/wA=", payload: undefined })], (item) => {
    seen[item.id] = item;
  });
  assert.equal(seen.one.payload.toString(), "hi");
  assert.deepEqual(seen.one.attributes, { a: "1" });
  assert.deepEqual(seen.one.headers, [{ name: "h", value: Buffer.from([255]) }, { name: "n", value: null }]);
  assert.deepEqual(seen.two.payload, Buffer.from([255, 0]));
  assert.ok(seen.one.leaseUntil > new Date());
});

test("an answer that nobody received is sent again", async (t) => {
  const sent = await work(t, [leased("one")], () => {}, (answers, number) =>
    number === 1 ? undefined : [{ status: number === 2 ? 503 : 200, detail: "owner-unreachable" }]);
  assert.deepEqual(sent.map((answers) => answers.map(({ receipt }) => receipt)), Array(3).fill(["receipt-one"]));
});

test("an answer after the lease is not sent for ever", async (t) => {
  let calls = 0;
  const { url } = await serve(t, (path, body, number) => {
    if (path === "/v1/work:lease") {
      return [200, {}, { items: number === 1 ? [leased("one", { leaseMillis: 200 })] : [] }];
    }
    calls++;
    worker.stop();
    return [503, {}, {}];
  });
  const worker = new Worker(url, "key", () => {}, { concurrency: 1, log: () => {} });
  await worker.run();
  assert.ok(calls <= 3, `${calls} calls`);
});

test("a lease is renewed", async (t) => {
  const sent = await work(t, [leased("one")], (item) => item.renew(60_000), (answers) =>
    answers.map(() => ({ status: 200, leaseUntil: "2030-01-01T00:00:00Z" })));
  assert.deepEqual(sent[0][0], { outcome: "renew", receipt: "receipt-one", leaseMillis: 60_000 });
});

test("no more items are leased than may be handled", async (t) => {
  let open = 0;
  let most = 0;
  await work(t, Array.from({ length: 12 }, (_, i) => leased(String(i))), async () => {
    most = Math.max(most, ++open);
    await new Promise((resolve) => setTimeout(resolve, 10));
    open--;
  });
  assert.equal(most, 3);
});
