// The console: which page is shown, when it is asked again, and what the title says.

import {get, openSession, session} from "./api.js";
import {deadLetters} from "./deadletters.js";
import {at, el, listenToDialog, nextTurn, notice, setText} from "./dom.js";
import {localTime, problem} from "./format.js";
import {actions, instances, sweeps} from "./lists.js";
import {overview} from "./overview.js";
import {tenant} from "./tenant.js";
import {tenants} from "./tenants.js";

const EVERY_MILLIS = 2000;
const PAGES = {"overview": overview, "tenants": tenants, "dead-letters": deadLetters, "sweeps": sweeps, "instances": instances, "actions": actions};

let page = null;
let opening = null;
let pageKey = "";
let timer = null;
let refreshedAt = 0;
let lastUpdate = "";
let isPolling = false;

/** Returns the place that the fragment names: the page, what it shows, and its parameters. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...rest] = path.split("/");
  let what = "";
  try {
    what = decodeURIComponent(rest.join("/"));
  } catch {
    what = "";
  }
  return {name: Object.hasOwn(PAGES, name) ? name : "overview", what, parameters: new URLSearchParams(query || "")};
}

/** Goes to a page; empty parameters are left out. */
function go(name, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const hash = "#/" + name + (query.size === 0 ? "" : "?" + query);
  if (location.hash === hash) return;
  if (place().name === name) history.replaceState(null, "", location.pathname + hash); else location.hash = hash;
  open(false);
}

/** Opens the page of the fragment. Its nodes are shown with their first figures, so that nothing moves afterwards. */
async function open(isFocused) {
  const {name, what, parameters} = place();
  const key = location.hash;
  pageKey = key;
  page = null;
  nextTurn();
  at("main").ariaBusy = "true";
  document.querySelectorAll("nav a").forEach((link) => {
    link.ariaCurrent = link.hash === "#/" + name ? "page" : null;
  });
  // What a page offers depends on the role.
  const refused = await ready();
  const opened = name === "tenants" && what !== "" ? tenant(what) : PAGES[name](parameters, go);
  opening = opened;
  const error = refused || await refresh(opened);
  if (pageKey !== key) return;
  const kept = document.activeElement instanceof HTMLInputElement && at("main").contains(document.activeElement)
    ? document.activeElement.type + document.activeElement.name : null;
  const heading = el("h2", {tabIndex: -1}, opened.title);
  at("main").replaceChildren(heading, ...opened.nodes);
  at("main").ariaBusy = "false";
  page = opened;
  if (isFocused) {
    heading.focus();
    notice("");
  } else if (kept !== null) {
    const again = [...at("main").querySelectorAll("input")].find((input) => input.type + input.name === kept);
    if (again !== undefined) {
      again.focus();
      again.setSelectionRange?.(again.value.length, again.value.length);
    }
  }
  if (error !== "") showState(error);
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(poll, EVERY_MILLIS);
}

/** Opens the session if there is none yet. Returns the error, or an empty text. */
async function ready() {
  if (session.role !== "") return "";
  try {
    await openSession();
    setText(at("queue"), session.prefix);
    setText(at("user"), session.user + (session.role === session.user ? "" : ", " + session.role) + " · " + session.version);
    return "";
  } catch (e) {
    return e.message;
  }
}

/** Asks for the figures of a page, and says what is wrong in the title. Returns the error, or an empty text. */
async function refresh(shown) {
  try {
    const depths = await get("depths", {limit: 10});
    await shown.refresh(depths);
    // Another page may have been opened meanwhile.
    if (shown !== opening) return "";
    refreshedAt = Date.now();
    lastUpdate = new Date().toISOString();
    showState("");
    const wrong = problem(depths);
    document.title = (wrong === "" ? shown.title : wrong) + " - Spillway";
    return "";
  } catch (e) {
    showState(e.message);
    return e.message;
  }
}

/** Shows the state of the connection; the text of a lasting state does not change. */
function showState(error) {
  setText(at("state"), error === "" ? "Live" : error + (lastUpdate === "" ? "" : "; last update at " + localTime(lastUpdate)));
  at("state").classList.toggle("alarm", error !== "");
  document.body.classList.toggle("stale", error !== "");
  if (error !== "") document.title = "No data - Spillway";
}

async function poll() {
  clearTimeout(timer);
  if (session.role === "") {
    await open(false);
    return;
  }
  if (page !== null && !isPolling && Date.now() - refreshedAt >= (page.everyMillis || EVERY_MILLIS) - 100) {
    isPolling = true;
    const shown = page;
    await refresh(shown);
    isPolling = false;
  }
  clearTimeout(timer);
  if (!document.hidden) timer = setTimeout(poll, EVERY_MILLIS);
}

listenToDialog();
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("main").focus();
});
addEventListener("hashchange", () => open(true));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) poll();
});
open(false);
