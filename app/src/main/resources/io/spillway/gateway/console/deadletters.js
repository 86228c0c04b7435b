// Dead letters: filters, one of them in full, and replay or discard of a selection after a dry run.

import {get, isOperator, post} from "./api.js";
import {ask, button, disabling, el, facts, field, notice, sameTurn, setText, table, time} from "./dom.js";
import {bytes, count, counted, localTime} from "./format.js";
import {runsPanel} from "./runs.js";
import {ownerLink} from "./tenants.js";

const FILTERS = ["tenant", "reason", "since", "until", "id"];
const MAX_RATE = 100000;
const HAPPENS = {
  replay: "Each goes back to the delay lane and is attempted again, with all its attempts. A replay that is cut off can be repeated: no item is replayed twice.",
  discard: "Each is dropped for good. This cannot be undone.",
};

export function deadLetters(parameters, go) {
  const inputs = Object.fromEntries(FILTERS.map((name) => [name, el("input", {name, value: parameters.get(name) || "",
    autocomplete: "off", spellcheck: false, placeholder: name === "since" || name === "until" ? "2h, or a time" : "all"})]));
  const filter = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) || ""]));
  const selected = new Set();
  const complete = el("p", {class: "soft"});
  const chosen = el("p", {class: "soft"});
  const runs = runsPanel();
  const readAt = el("p", {class: "soft"});
  const again = button("Read again", () => readOrSay(null));
  const more = button("More", () => readOrSay(cursor));
  const replaying = button("Replay…", () => start("replay"));
  const discarding = button("Discard…", () => start("discard"));
  let items = [];
  let cursor = null;
  let isRead = false;
  let reads = 0;
  let active = 0;

  const check = (item) => {
    const box = el("input", {type: "checkbox", checked: selected.has(item.position), "aria-label": "Select " + (item.id || item.position)});
    box.addEventListener("change", () => {
      if (box.checked) selected.add(item.position); else selected.delete(item.position);
      showChosen();
    });
    return box;
  };
  const list = table("Dead letters", [
    {title: "Item", key: (item) => item.position, cell: (item) => button(item.id || item.position, () => showOne(item.position), "link")},
    ...(isOperator() ? [{title: "", key: (item) => item.position + selected.has(item.position), cell: check}] : []),
    {title: "Tenant", cell: (item) => ownerLink(item.tenant)},
    {title: "Workload", cell: (item) => item.workload || ""},
    {title: "Reason", cell: (item) => item.reason},
    {title: "Attempts", n: true, cell: (item) => item.attempts === null || item.attempts === undefined ? "" : count(item.attempts)},
    {title: "At", key: (item) => item.at, cell: (item) => time(item.at)},
    {title: "Size", n: true, cell: (item) => bytes(item.bytes || 0)},
  ], "No dead letters match.");
  const counts = table("By tenant and reason", [
    {title: "Tenant", cell: (row) => ownerLink(row.tenant)},
    {title: "Reason", key: (row) => row.tenant + " " + row.reason, cell: (row) => el("a", {href: "#/dead-letters?" + new URLSearchParams({tenant: row.tenant || "", reason: row.reason})}, row.reason)},
    {title: "Dead letters", n: true, cell: (row) => count(row.count)},
  ], "There are none.");

  function showChosen() {
    setText(chosen, selected.size === 0 ? "Nothing selected: a change applies to all that match the filter." : counted(selected.size, "dead letter") + " selected.");
  }

  async function read(from) {
    const mine = ++reads;
    const page = await disabling([again, more], () => get("dead-letters", {...filter, cursor: from, limit: 50}));
    // Another one has begun meanwhile.
    if (mine !== reads) return;
    items = from === null ? page.items : items.concat(page.items);
    cursor = page.cursor;
    more.hidden = cursor === null;
    list.show(items);
    if (page.counts) {
      counts.show(page.counts);
      setText(complete, page.countsComplete === false ? "There are more: not all were counted." : "");
    }
    // More pages leave it: the first one is what has been shown for longest.
    if (from === null) setText(readAt, "Read at " + localTime(new Date().toISOString()) + ". Later changes show when it is read again.");
    isRead = true;
  }

  async function readOrSay(from) {
    try {
      await read(from);
    } catch (e) {
      notice(e.message, true);
    }
  }

  /** What a run has finished is no longer in the list. */
  async function refreshRuns() {
    const before = active;
    active = await runs.refresh();
    if (before > 0 && active === 0) await read(null);
  }

  async function showOne(position) {
    try {
      const isSame = sameTurn();
      const one = await get("dead-letters/" + encodeURIComponent(position));
      if (!isSame()) return;
      const headers = Array.isArray(one.headers) ? one.headers.map((h) => [h.name || h.key || "", String(h.value)]) : Object.entries(one.headers || {});
      const known = Object.entries(one).filter(([key, value]) => !["headers", "payload", "kind", "truncated"].includes(key) && value !== null && typeof value !== "object");
      ask({title: "Dead letter " + position, body: [facts(known.map(([key, value]) => [key, String(value)])), el("h3", {}, "Headers"),
        facts(headers.map(([key, value]) => [key, String(value)])), el("h3", {}, "Payload" + (one.kind ? " (" + one.kind + ")" : "")),
        one.payload === undefined || one.payload === null ? el("p", {class: "soft"}, "Payloads are hidden from viewers.")
          : el("pre", {class: "payload", tabIndex: 0}, textOf(one)), one.truncated ? el("p", {class: "soft"}, "Only the beginning is shown.") : ""]});
    } catch (e) {
      notice(e.message, true);
    }
  }

  /** Returns the request for the selected ones, else for all that match; all of them must be asked for by name. */
  function request(kind) {
    const {id, ...wanted} = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
    // Not by id, which several tenants may use.
    if (selected.size > 0) return {kind, filter: {tenant: wanted.tenant, positions: [...selected]}};
    if (id !== undefined) wanted.ids = [id];
    return {kind, filter: wanted, ...(kind === "discard" && Object.keys(wanted).length === 0 ? {all: true} : {})};
  }

  async function start(kind) {
    const rate = el("input", {type: "number", min: 1, max: MAX_RATE, value: "100"});
    try {
      const isSame = sameTurn();
      // What was counted is what is done, also if the selection changes meanwhile.
      const wanted = request(kind);
      const plan = await disabling([replaying, discarding], () => post("runs", {...wanted, rate: 100, dryRun: true}));
      if (!isSame()) {
        notice("Counted too late to ask for the " + kind + ". Nothing has changed.");
        return;
      }
      ask({title: (kind === "replay" ? "Replay " : "Discard ") + (plan.selected === undefined ? "dead letters?" : counted(plan.selected, "dead letter") + "?"),
        yes: kind === "replay" ? "Replay" : "Discard",
        body: [el("p", {}, plan.result || ""), ...(plan.obstacles || []).map((why) => el("p", {}, "Cannot be replayed: " + why)), el("p", {}, "Nothing has changed yet. " + HAPPENS[kind]),
          kind === "replay" ? field("At most this many per second", rate) : ""],
        act: async () => {
          const {id} = await post("runs", {...wanted, rate: Number(rate.value), dryRun: false});
          notice("Started " + kind + " " + id + ". It continues if you leave this page.");
          selected.clear();
          showChosen();
          list.show(items);
          active = 1;
          await refreshRuns();
        }});
    } catch (e) {
      notice(e.message, true);
    }
  }

  const form = el("form", {class: "row", on: {submit: (event) => {
    event.preventDefault();
    go("dead-letters", Object.fromEntries(FILTERS.map((name) => [name, inputs[name].value.trim()])));
  }}}, FILTERS.map((name) => field(name[0].toUpperCase() + name.slice(1), inputs[name])), el("button", {}, "Show"));
  const acting = isOperator() ? el("div", {class: "row"}, chosen, replaying, discarding,
    button("Select none", () => {
      selected.clear();
      showChosen();
      list.show(items);
    })) : el("p", {class: "soft"}, "A viewer cannot replay or discard.");
  showChosen();
  more.hidden = true;
  return {title: "Dead letters", nodes: [form, acting, el("div", {class: "row"}, readAt, again), list.node, more, el("h3", {}, "By tenant and reason"), counts.node, complete, runs.node],
    refresh: async () => {
      if (!isRead) await read(null);
      await refreshRuns();
    }};
}

/** JSON is indented for reading; it is text like any other. */
function textOf(one) {
  if (one.kind !== "json" || typeof one.payload !== "string") return typeof one.payload === "string" ? one.payload : JSON.stringify(one.payload, null, 2);
  try {
    return JSON.stringify(JSON.parse(one.payload), null, 2);
  } catch {
    return one.payload;
  }
}
