// All tenants: search, order, pages.

import {get} from "./api.js";
import {button, el, field, select, setText, table} from "./dom.js";
import {LANES, count, counted, drainedIn, rate, share} from "./format.js";

const PAGE = 50;
/** As ItemLimits.NAME_ALLOWED. */
const NAME = /^[#-&+.0-;=?-[\]^_a-~-]{1,128}$/;
const SORTS = [["waiting", "Waiting"], ["tenant", "Name"], ["in", "In/s"], ["out", "Out/s"], ["drain", "Drained in"],
  ["dead", "Dead letters"]];

export const tenantLink = (name) => el("a", {href: "#/tenants/" + encodeURIComponent(name)}, name);

/** Links to a tenant; all tenants and records without one have no page. */
export const ownerLink = (name) => NAME.test(name) ? tenantLink(name) : el("span", {}, name || "");

export const tenantColumns = () => [
  {title: "Tenant", cell: (t) => tenantLink(t.tenant)},
  {title: "Waiting", n: true, cell: (t) => count(t.waiting)},
  ...LANES.map((lane) => ({title: lane[0].toUpperCase() + lane.slice(1), n: true, cell: (t) => count(t[lane])})),
  {title: "In/s", n: true, cell: (t) => rate(t.inPerSecond)},
  {title: "Out/s", n: true, cell: (t) => rate(t.outPerSecond)},
  {title: "Drained in", n: true, alarm: (t) => t.late,
    cell: (t) => t.paused ? "paused" : drainedIn(t.drainSeconds) + (t.late ? ", past ttl" : "")},
  {title: "Admitted", n: true, alarm: (t) => t.admittedShare < 1, cell: (t) => share(t.admittedShare)},
  {title: "Dead letters", n: true, cell: (t) => count(t.deadLettered)},
];

export function tenants(parameters, go) {
  const from = Number(parameters.get("from")) || 0;
  const search = el("input", {type: "search", value: parameters.get("search") || "", maxLength: 128,
    autocomplete: "off", spellcheck: false});
  const sort = select(SORTS, parameters.get("sort") || "waiting");
  const order = select([["desc", "largest first"], ["asc", "smallest first"]],
    parameters.get("order") || (sort.value === "tenant" ? "asc" : "desc"));
  const list = table("Tenants", tenantColumns(), "No tenant that ever had an item has such a name.");
  const found = el("p", {class: "soft"});
  const unknown = el("p", {});
  const link = (start) => go("tenants", {search: search.value, sort: sort.value, order: order.value, from: start || ""});
  const before = button("Previous", () => link(Math.max(0, from - PAGE)));
  const after = button("Next", () => link(from + PAGE));
  let typing = null;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => link(0), 300);
  });
  sort.addEventListener("change", () => {
    order.value = sort.value === "tenant" ? "asc" : "desc";
    link(0);
  });
  order.addEventListener("change", () => link(0));

  async function refresh() {
    const page = await get("depths", {sort: sort.value, order: order.value, search: search.value, from, limit: PAGE});
    list.show(page.tenants);
    const last = from + page.tenants.length;
    setText(found, counted(page.tenantsMatching, "tenant") + (search.value === "" ? "" : " with this text in the name")
      + (page.tenants.length === 0 ? "" : ", " + count(from + 1) + " to " + count(last)));
    before.disabled = from === 0;
    after.disabled = !page.truncated;
    const isName = page.tenantsMatching === 0 && NAME.test(search.value);
    unknown.replaceChildren(...(isName ? ["It may have a policy: ", tenantLink(search.value)] : []));
  }

  const form = el("form", {class: "row", on: {submit: (event) => event.preventDefault()}},
    field("Name contains", search), field("Order by", sort), field("Direction", order));
  return {title: "Tenants", nodes: [form, found, list.node, unknown, el("div", {class: "row"}, before, after)], refresh};
}
