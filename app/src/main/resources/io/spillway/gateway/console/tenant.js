// One tenant: what waits, why, where, its policy and the health of its destination.

import {get} from "./api.js";
import {changeButtons, subscriptionButton} from "./changes.js";
import {el, facts, setText, table} from "./dom.js";
import {LANES, count, counted, drainedIn, rate, share} from "./format.js";
import {tenantLink} from "./tenants.js";

const PLACEMENTS = {dedicated: "dedicated partitions", assigned: "an assigned shard", stateless: "a shard computed from its name"};
const millis = (n) => n === 0 ? "–" : n < 10 ? rate(n) + " ms" : count(Math.round(n)) + " ms";

export function tenant(name) {
  const state = el("p", {class: "summary"});
  const missing = el("p", {class: "alarm"});
  const now = el("div");
  const rules = el("ol");
  const placement = el("div");
  const health = table("Health of its destination, by worker", [
    {title: "Worker", cell: (row) => row.worker},
    {title: "Samples", n: true, cell: (row) => count(row.samples)},
    {title: "p50", n: true, cell: (row) => millis(row.p50Millis)},
    {title: "p99", n: true, cell: (row) => millis(row.p99Millis)},
    {title: "Attempts", n: true, cell: (row) => count(row.recentAttempts)},
    {title: "Timed out", n: true, cell: (row) => count(row.recentTimeouts), alarm: (row) => row.recentTimeouts > 0},
    {title: "Timeout", n: true, cell: (row) => millis(row.appliedMillis)},
    {title: "State", cell: (row) => row.unavailable ? "unavailable" : "available", alarm: (row) => row.unavailable},
  ], "No worker has published recent attempts of this tenant.");
  const subscriptions = table("Subscriptions", [
    {title: "Subscription", cell: (row) => row.name},
    {title: "Gets items of", cell: (row) => row.workloads === "*" ? "all workloads" : row.workloads},
    {title: "Its own settings", cell: (row) => row.set},
    {title: "State", cell: (row) => row.paused ? "paused" : "delivers", alarm: (row) => row.paused},
    {title: "", cell: (row) => subscriptionButton(name, row.name, row.paused), key: (row) => row.name + row.paused},
  ], "Its items are handled once, because it has no subscriptions.");
  const more = el("p", {class: "soft"});
  const neighbours = table("Tenants that share its partitions", [
    {title: "Tenant", cell: (row) => tenantLink(row.tenant)},
    {title: "Partitions in common", n: true, cell: (row) => count(row.shared)},
  ], "No other tenant with a policy or an assigned shard shares its partitions.");
  const policy = table("Policy in force", [
    {title: "Setting", cell: (row) => row.field},
    {title: "Value", cell: (row) => row.value},
    {title: "Set by", cell: (row) => row.source},
  ], "");

  async function refresh() {
    const t = await get("tenants/" + encodeURIComponent(name));
    const known = t.lanes !== undefined;
    setText(state, !known ? "It has never had an item, or none for longer than router.forgetTenantsAfter."
      : count(t.waiting) + " waiting, " + rate(t.rates.inPerSecond) + "/s in, " + rate(t.rates.outPerSecond) + "/s out"
        + (t.rates.drainSeconds === 0 ? "" : ", drained in: " + drainedIn(t.rates.drainSeconds))
        + (t.rates.late ? ", which is later than its time to live" : "") + (t.policy.paused === true ? ". It is paused" : ""));
    state.classList.toggle("alarm", known && t.rates.late);
    const lanes = known ? LANES.map((lane) => [lane, count(t.lanes[lane])]) : [];
    const counts = known ? [["accepted", count(t.counts.accepted)], ["done", count(t.counts.done)], ["dropped", count(t.counts.dropped)],
      ["dead letters", el("a", {href: "#/dead-letters?tenant=" + encodeURIComponent(name)}, count(t.counts.deadLettered))]] : [];
    now.replaceChildren(facts([...lanes, ["admitted by this gateway", share(t.admittedShare)], ...counts]));
    rules.replaceChildren(...t.rules.map((rule) => el("li", {}, rule)));
    placement.replaceChildren(facts([["placement", PLACEMENTS[t.placement] || t.placement], ["slots", t.slots.join(", ")],
      ["partitions", t.partitions.join(", ")], ["pool of workers", t.pool], ["compared with", counted(t.compared, "tenant")]]));
    health.show(t.health);
    setText(missing, t.missing.join(". "));
    subscriptions.show(t.subscriptions);
    const left = t.subscriptionCount - t.subscriptions.length;
    setText(more, left > 0 ? "and " + counted(left, "other subscription") + ": spillway subscriptions list " + name : "");
    neighbours.show(t.neighbours);
    policy.show(t.sources);
  }

  return {title: name, nodes: [state, changeButtons(name),
    el("div", {class: "columns"}, el("section", {}, el("h3", {}, "Now"), now),
      el("section", {}, el("h3", {}, "Placement"), placement),
      el("section", {}, el("h3", {}, "Its items, by the first rule that applies"), rules)
    ), el("h3", {}, "Subscriptions"), subscriptions.node, more, el("h3", {}, "Health of its destination, by worker"), health.node, missing,
    el("h3", {}, "Tenants that share its partitions"), neighbours.node,
    el("h3", {}, "Policy in force"), policy.node].filter(Boolean), everyMillis: 4000, refresh};
}
