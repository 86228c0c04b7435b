// Overview: what is wrong, what waits where, the last hour, and who has most.

import {get} from "./api.js";
import {chart} from "./chart.js";
import {el, setText, table, time} from "./dom.js";
import {LANES, count, counted, drainedIn, idleSeconds, isStalled, rate, span} from "./format.js";
import {tenantColumns} from "./tenants.js";

const lane = (name) => ({name, className: "lane-" + name, value: (point) => point[name]});

/** First steps, in place of figures that are all zero. */
function firstSteps() {
  const step = (text, command) => el("li", {}, text, el("pre", {}, command));
  return el("section", {class: "panel"}, el("h3", {}, "No items yet"),
    el("p", {}, "This queue has never had an item. To see it work:"),
    el("ol", {},
      step("Send some items as a tenant, straight to Kafka:", "./spillway send --tenant acme --count 100"),
      step("Or create a key for the tenant, and send through this gateway:", "./spillway tenants key create acme --wait\n"
        + "curl -X POST " + location.origin + "/v1/items -H \"Authorization: Bearer KEY\" -d '{\"hello\":1}'"),
      step("See where they are. This page shows the same:", "./spillway depth"),
      step("What the workers do with an item is the setting handler.type.", "SPILLWAY_HANDLER_TYPE=log ./spillway run")));
}

export function overview() {
  const summary = el("p", {class: "summary"});
  const moves = el("p", {class: "soft"});
  const steps = el("div");
  const lanes = table("Lanes", [
    {title: "Lane", cell: (row) => row.name},
    {title: "Waiting", n: true, cell: (row) => count(row.waiting)},
    {title: "In/s", n: true, cell: (row) => rate(row.inPerSecond)},
    {title: "Out/s", n: true, cell: (row) => rate(row.outPerSecond)},
    {title: "Drained in", n: true, cell: (row) => drainedIn(row.drainSeconds)},
  ], "No figures yet.");
  const tenants = table("Tenants with most waiting", tenantColumns(), "No tenant has work waiting.");
  const known = el("p", {class: "soft"});
  const source = el("p", {class: "soft"});
  const charts = [
    chart({title: "Waiting by lane", format: count, isStacked: true, series: LANES.map(lane)}),
    chart({title: "Age of the oldest", format: (n) => span(n),
      series: [{name: "oldest", className: "one", value: (point) => point.oldestSeconds}]}),
    chart({title: "Items per second", format: rate, series: [
      {name: "in", className: "in", value: (point) => point.inPerSecond},
      {name: "out", className: "out", value: (point) => point.outPerSecond}]}),
    chart({title: "Dead letters", format: count,
      series: [{name: "dead letters", className: "dead", value: (point) => point.deadLettered}]}),
  ];
  const figures = el("div", {}, el("div", {class: "charts"}, charts.map((each) => each.figure)), source,
    el("h3", {}, "Lanes"), lanes.node, el("h3", {}, "Tenants with most waiting"), known, tenants.node);
  let historyAt = 0;
  let sinceShown = null;

  async function refresh(depths) {
    const {total} = depths;
    const isNew = depths.changedAt === null;
    const drained = drainedIn(total.drainSeconds);
    setText(summary, count(total.waiting) + " waiting, " + rate(total.inPerSecond) + "/s in, " + rate(total.outPerSecond) + "/s out"
      + (drained === "" ? "" : ", drained in: " + drained) + "; dead letters: " + count(total.deadLettered));
    const stalled = isStalled(depths);
    setText(moves, isNew ? "No items yet" : "Last move " + span(idleSeconds(depths)) + " ago"
      + (stalled ? ", but work is waiting: check the routers, the workers and their handlers" : ""));
    moves.classList.toggle("alarm", stalled);
    lanes.show(LANES.filter((name) => depths.lanes[name] !== undefined).map((name) => ({name, ...depths.lanes[name]})));
    setText(known, count(depths.tenantsWaiting) + " of " + counted(depths.tenantsKnown, "tenant") + (depths.tenantsWaiting === 1 ? " has" : " have")
      + " work waiting" + (depths.tenantsLate > 0 ? "; " + count(depths.tenantsLate) + " will drain later than the time to live" : ""));
    tenants.show(depths.tenants.filter((tenant) => tenant.waiting > 0));
    if (isNew && steps.childElementCount === 0) steps.append(firstSteps());
    steps.hidden = !isNew;
    figures.hidden = isNew;
    if (Date.now() - historyAt < 5000) return;
    const history = await get("history");
    historyAt = Date.now();
    charts.forEach((each) => each.update(history.points));
    const [who, since] = history.source.split(" since ", 2);
    if (sinceShown === since) return;
    sinceShown = since;
    source.replaceChildren("A point each " + history.stepSeconds + " s from " + who + ", which began ",
      since === undefined ? "now" : time(since), ". The oldest is of hot, overflow and aged.");
  }

  return {title: "Overview", nodes: [summary, moves, steps, figures], refresh};
}
