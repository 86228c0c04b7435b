#!/usr/bin/env node
// Command line for a try: sends each line of the input, or prints items and answers that they are done.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Producer, Worker } from "./index.js";

const USAGE = "usage: cli.js send|work --key-file FILE [--url URL] [--tenant TENANT] [--concurrency N]";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    "key-file": { type: "string" },
    tenant: { type: "string" },
    concurrency: { type: "string", default: "4" },
  },
});
if (!["send", "work"].includes(positionals[0]) || !values["key-file"]) {
  console.error(USAGE);
  process.exit(2);
}
const key = readFileSync(values["key-file"], "utf8").replace(/^\ufeff/, "").trim();

if (positionals[0] === "send") {
  // Nothing is lost by ending: what was not printed is not known to be stored.
  ["SIGTERM", "SIGINT"].forEach((signal) => process.on(signal, () => process.exit(0)));
  const producer = new Producer(values.url ?? "http://127.0.0.1:8080", key);
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await producer.send(line, { tenant: values.tenant, contentType: "text/plain" }));
  }
  producer.close();
} else {
  const work = ({ tenant, id, attempt, payload }) =>
    console.log(`${tenant} ${id} attempt ${attempt}, ${payload.length} bytes`);
  await new Worker(values.url ?? "http://127.0.0.1:8081", key, work,
    { concurrency: Number(values.concurrency) }).run();
}
