// Pages that are one or two lists: sweeps, instances and actions.

import {get, isOperator} from "./api.js";
import {recordSweep} from "./changes.js";
import {button, el, setText, table, time} from "./dom.js";
import {count, rate} from "./format.js";
import {ownerLink} from "./tenants.js";

const timed = (title, name) => ({title, key: (row) => String(row[name]), cell: (row) => time(row[name])});

export function sweeps() {
  const list = table("Sweeps and cancels", [
    {title: "Tenant", cell: (row) => ownerLink(row.tenant)},
    {title: "Kind", cell: (row) => row.kind},
    {title: "Workload", cell: (row) => row.workload},
    {title: "Id of the item", cell: (row) => row.itemId},
    {title: "Id of the sweep", cell: (row) => row.sweepId},
    timed("Started", "startedAt"),
    timed("Completed", "completedAt"),
  ], "No sweep has been recorded, and no item cancelled.");
  return {title: "Sweeps", nodes: [
    el("p", {class: "soft"}, "A completed sweep has done the work of all items that entered before it. They are dropped, not attempted."),
    isOperator() ? el("div", {class: "row"}, button("Record a sweep…", recordSweep)) : null, list.node].filter(Boolean),
  refresh: async () => {
    const answer = await get("sweeps");
    list.show(answer.sweeps);
  }};
}

/** Formats numbers in ascending order as ranges: "0–3, 7". */
function ranges(numbers) {
  const parts = [];
  numbers.forEach((n, i) => {
    if (i > 0 && numbers[i - 1] === n - 1) parts[parts.length - 1][1] = n; else parts.push([n, n]);
  });
  return parts.map(([a, b]) => a === b ? String(a) : a + "–" + b).join(", ");
}

const partitions = (row) => row.partitions.map((each) => each.topic + " " + ranges(each.partitions)).join("; ");
const common = [
  {title: "Instance", cell: (row) => row.id},
  {title: "Host", cell: (row) => row.host || ""},
];
const seen = [
  {title: "Version", cell: (row) => row.version || "unknown"},
  timed("Last seen", "lastSeen"),
  {title: "Partitions", cell: partitions},
];

export function instances() {
  const routers = table("Routers", [...common, ...seen], "No router runs: items stay in ingress.");
  const workers = table("Workers", [...common,
    {title: "Slots", n: true, cell: (row) => row.slots === undefined ? "" : count(row.slots)},
    {title: "Attempts/s", n: true, cell: (row) => row.handledPerSecond === undefined ? "" : rate(row.handledPerSecond)},
    {title: "Possible/s", n: true, cell: (row) => row.possiblePerSecond === undefined ? "" : rate(row.possiblePerSecond)},
    ...seen], "No worker runs: items wait in their lanes.");
  const gateways = table("Gateways", [{title: "Instance", cell: (row) => row.id}, {title: "Version", cell: (row) => row.version || "unknown"},
    timed("Last seen", "lastSeen")], "This gateway has not published its status yet.");
  const sources = table("Sources", [
    {title: "Source", cell: (row) => row.name}, {title: "Topic", cell: (row) => row.topic},
    {title: "Format", cell: (row) => row.format}, {title: "Partitions", n: true, cell: (row) => count(row.partitions)},
    {title: "Readers", n: true, cell: (row) => count(row.readers)},
    {title: "Not routed", n: true, cell: (row) => count(row.lag)}, {title: "Problem", cell: (row) => row.problem || ""},
  ], "The configuration of this gateway has no sources.");
  const version = el("p", {class: "soft"});
  return {title: "Instances", nodes: [version, el("h3", {}, "Routers"), routers.node, el("h3", {}, "Workers"), workers.node,
    el("h3", {}, "Gateways"), gateways.node, el("h3", {}, "Sources"), sources.node],
  everyMillis: 5000,
  refresh: async () => {
    const all = await get("instances");
    setText(version, "This gateway: version " + all.gatewayVersion);
    routers.show(all.routers);
    workers.show(all.workers);
    gateways.show(all.gateways);
    sources.show(all.sources);
  }};
}

export function actions() {
  const list = table("Actions", [
    {title: "Action", cell: (row) => row.action},
    timed("At", "at"),
    {title: "By", cell: (row) => row.by},
    {title: "Tenant", cell: (row) => ownerLink(row.tenant)},
    {title: "Options", cell: (row) => Object.entries(row.options).map(([name, value]) => name + " " + value).join(", ")},
    {title: "Result", cell: (row) => row.result},
  ], "Nothing has been changed yet.");
  return {title: "Actions", nodes: [el("p", {class: "soft"}, "Who changed what, newest first: by this console and by commands."), list.node],
    everyMillis: 5000,
    refresh: async () => {
      const answer = await get("actions", {limit: 100});
      list.show(answer.actions);
    }};
}
