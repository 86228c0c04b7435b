"use strict";
// Read-only view of the admin API. Data is inserted into the page as text, never as markup.

const EVERY_MILLIS = 2000;
const TIMEOUT_MILLIS = 5000;
// Balances follow moves within about a second. If work waits and nothing has moved for this time, the page shows an alarm.
const STALLED_SECONDS = 30;
const LANES = ["hot", "overflow", "aged", "delay"];
const NAME = /^[A-Za-z0-9._-]{1,128}$/;

const at = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString("en");
const rate = (n) => n.toLocaleString("en", {minimumFractionDigits: 1, maximumFractionDigits: 1});
const share = (part) => part === 1 ? "all" : (100 * part).toLocaleString("en", {maximumSignificantDigits: 2}) + "%";
let timer = null;
let lastUpdate = "";

/** Formats a duration with at most this number of units, largest first: "2h 5m". */
function span(seconds, units) {
  let rest = Math.max(0, Math.ceil(seconds));
  const parts = [];
  for (const [size, name] of [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]]) {
    if (rest >= size) parts.push(Math.floor(rest / size) + name);
    rest %= size;
  }
  return parts.slice(0, units).join(" ") || "0s";
}

const drainedIn = (seconds) => seconds === null ? "never" : seconds === 0 ? "" : span(seconds, 2);

/** Changes only different text, so that selections stay and screen readers do not repeat it. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Adds or removes rows of a table body until there is one for each item, and shows each item in its row. */
function fill(body, items, makeRow, show) {
  while (body.rows.length > items.length) body.deleteRow(-1);
  while (body.rows.length < items.length) body.append(makeRow());
  items.forEach((item, i) => show(body.rows[i].cells, item));
}

/** Creates a row with a header and this number of cells. */
function row(cells, className) {
  const tr = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  tr.append(head);
  for (let i = 0; i < cells; i++) tr.insertCell().className = className;
  return tr;
}

function laneRow() {
  const tr = row(5, "n");
  const bar = document.createElement("div");
  bar.className = "bar";
  tr.cells[2].className = "track";
  tr.cells[2].append(bar);
  return tr;
}

function tenantRow() {
  const tr = row(10, "n");
  tr.cells[0].append(document.createElement("a"));
  return tr;
}

function showLanes(lanes) {
  const most = Math.max(1, ...LANES.map((lane) => lanes[lane].waiting));
  fill(at("lanes"), LANES, laneRow, (cells, lane) => {
    const flow = lanes[lane];
    setText(cells[0], lane);
    setText(cells[1], count(flow.waiting));
    cells[2].firstChild.style.width = 100 * flow.waiting / most + "%";
    setText(cells[3], rate(flow.inPerSecond));
    setText(cells[4], rate(flow.outPerSecond));
    setText(cells[5], drainedIn(flow.drainSeconds));
  });
}

function showTenants(tenants) {
  fill(at("tenants"), tenants, tenantRow, (cells, t) => {
    const link = cells[0].firstChild;
    setText(link, t.tenant);
    link.href = "#" + t.tenant;
    const texts = [count(t.waiting), ...LANES.map((lane) => count(t[lane])), rate(t.inPerSecond), rate(t.outPerSecond),
      drainedIn(t.drainSeconds) + (t.late ? ", past ttl" : ""), share(t.admittedShare), count(t.deadLettered)];
    texts.forEach((text, i) => setText(cells[i + 1], text));
    cells[8].classList.toggle("alarm", t.late);
    cells[9].classList.toggle("alarm", t.admittedShare < 1);
  });
}

function show(depths) {
  const {total, lanes, tenants} = depths;
  const drained = drainedIn(total.drainSeconds);
  setText(at("summary"), count(total.waiting) + " waiting, " + rate(total.inPerSecond) + "/s in, " + rate(total.outPerSecond) + "/s out"
    + (drained === "" ? "" : ", drained in: " + drained) + "; dead letters: " + count(total.deadLettered));
  const idleSeconds = Math.max(0, (Date.parse(depths.asOf) - Date.parse(depths.changedAt)) / 1000);
  const isStalled = idleSeconds > STALLED_SECONDS && LANES.some((lane) => lane !== "delay" && lanes[lane].waiting > 0);
  setText(at("moves"), depths.changedAt === null ? "No items yet" : "Last move " + span(idleSeconds, 2) + " ago"
    + (isStalled ? ", but work is waiting: check the routers, the workers and their handlers" : ""));
  at("moves").classList.toggle("alarm", isStalled);
  showLanes(lanes);
  setText(at("count"), count(depths.tenantsWaiting) + " of " + count(depths.tenantsKnown) + " tenants have work waiting"
    + (depths.truncated ? ", the " + count(tenants.length) + " with the largest backlogs are shown" : "")
    + (depths.tenantsLate > 0 ? "; " + count(depths.tenantsLate) + " will drain later than their time to live" : ""));
  showTenants(tenants);
  document.title = count(total.waiting) + " waiting - Spillway";
}

async function get(path) {
  const stop = new AbortController();
  const limit = setTimeout(() => stop.abort(), TIMEOUT_MILLIS);
  try {
    const answer = await fetch(path, {signal: stop.signal, cache: "no-store"}).catch(() => {
      throw new Error("The gateway does not respond");
    });
    if (answer.status === 401 || answer.status === 403) throw new Error("The gateway rejects this key. Reload the page");
    if (!answer.ok) throw new Error("The gateway responds with status " + answer.status);
    return await answer.json();
  } finally {
    clearTimeout(limit);
  }
}

const setting = ([name, value]) => name.endsWith("Millis")
  ? [name.slice(0, -6), value === null ? "none" : value % 1000 === 0 ? span(value / 1000, 4) : value + "ms"]
  : [name, value === null ? "none" : String(value)];

const factsOf = (tenant) => [["waiting", tenant.waiting === null ? "unknown" : count(tenant.waiting)],
  ["admitted", share(tenant.admittedShare)], ...Object.entries(tenant.policy).map(setting)];

/** Shows the tenant in the fragment of the address, so that the address is a link to this tenant. */
async function showChosen() {
  const name = location.hash.slice(1);
  let state = NAME.test(name) ? name : "";
  let facts = [];
  try {
    if (state !== "") facts = factsOf(await get("admin/tenants/" + name));
  } catch (e) {
    state = name + ": " + e.message;
  }
  if (location.hash.slice(1) !== name) return;
  setText(at("tenant-state"), state);
  fill(at("tenant").tBodies[0], facts, () => row(1, ""), (cells, texts) => texts.forEach((text, i) => setText(cells[i], text)));
}

/** Shows the state of the connection; the text of a lasting state does not change. */
function showState(error) {
  setText(at("state"), error === "" ? "Live" : error + (lastUpdate === "" ? "" : "; last update at " + lastUpdate));
  at("state").classList.toggle("alarm", error !== "");
  document.body.classList.toggle("stale", error !== "");
  if (error !== "") document.title = "No data - Spillway";
}

async function poll() {
  try {
    show(await get("admin/depths"));
    lastUpdate = new Date().toLocaleTimeString();
    showState("");
    await showChosen();
  } catch (e) {
    showState(e.message);
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(poll, EVERY_MILLIS);
}

at("pick").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = at("name").value;
});
addEventListener("hashchange", () => {
  at("tenant-title").focus();
  showChosen();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) poll();
});
poll();
