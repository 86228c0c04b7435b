// Changes that an operator can make, each after a question that says what will happen.

import {isOperator, post} from "./api.js";
import {ask, button, el, field, notice, sameTurn} from "./dom.js";

/** Sends an action, and shows its result. */
async function send(action) {
  const {result, notes} = await post("actions", action);
  notice([result, ...(notes || [])].join(" "));
}

/** Asks again with what a dry run of the action found. */
async function counted(action, yes) {
  const isSame = sameTurn();
  const {result, notes} = await post("actions", {...action, dryRun: true});
  if (!isSame()) {
    notice("Counted too late to ask. Nothing has changed.");
    return true;
  }
  ask({title: yes + "?", yes, body: [result, ...(notes || [])].map((line) => el("p", {}, line)), act: () => send(action)});
  return true;
}

function confirmed(title, text, yes, action, controls = []) {
  ask({title, yes, body: [el("p", {}, text), ...controls], act: () => send(action())});
}

const input = (properties) => el("input", {autocomplete: "off", spellcheck: false, ...properties});

const CHANGES = {
  pause: (tenant) => {
    const workload = input({maxLength: 128, placeholder: "all"});
    confirmed("Pause " + tenant + "?", "Its waiting items are held in the delay lane without attempts until it is resumed. "
      + "Attempts that run now end as they would. New items are still accepted.", "Pause", () => withWorkload({action: "pause", tenant}, workload),
    [field("Only this workload", workload)]);
  },
  resume: (tenant) => {
    const workload = input({maxLength: 128, placeholder: "all"});
    confirmed("Resume " + tenant + "?", "Its held items are attempted again, the oldest first, by the rules for new items.", "Resume",
      () => withWorkload({action: "resume", tenant}, workload), [field("Only this workload", workload)]);
  },
  isolate: (tenant) => {
    const partitions = input({type: "number", min: 1, value: "1"});
    confirmed("Isolate " + tenant + "?", "New items of it go to partitions of its own, and no other tenant's items go there. "
      + "What waits now stays where it is. Other tenants share fewer partitions.", "Isolate",
    () => ({action: "isolate", tenant, partitions: Number(partitions.value)}), [field("Dedicated partitions", partitions)]);
  },
  release: (tenant) => confirmed("Release " + tenant + "?", "It loses its dedicated partitions, and its new items go to its shard again.",
    "Release", () => ({action: "release", tenant})),
  set: (tenant) => {
    const rate = input({placeholder: "100"});
    confirmed("Set the rate of " + tenant + "?", "Items above this rate go to overflow, where they wait for free workers. Nothing is refused.",
      "Set rate", () => ({action: "set", tenant, rate: rate.value}),
      [field("Items per second", rate, "default removes its own setting")]);
  },
  cancel: (tenant) => {
    const workload = input({maxLength: 128, placeholder: "all"});
    const id = input({maxLength: 256, placeholder: "all"});
    ask({title: "Cancel waiting items of " + tenant + "?", yes: "Count them", body: [el("p", {},
      "Items of it that entered before now and still wait are dropped when they are reached. This cannot be undone. "
      + "New items are not affected. First they are counted."), field("Only this workload", workload), field("Only this id", id)],
    act: () => {
      const action = withWorkload({action: "cancel", tenant}, workload);
      return counted(id.value === "" ? action : {...action, id: id.value}, "Cancel items");
    }});
  },
};

const withWorkload = (action, workload) => workload.value === "" ? action : {...action, workload: workload.value};

const LABELS = {pause: "Pause", resume: "Resume", isolate: "Isolate", release: "Release", set: "Set rate", cancel: "Cancel items"};

/** Returns the buttons for a tenant; nothing for a viewer. */
export function changeButtons(tenant) {
  return isOperator() ? el("div", {class: "row", role: "group", "aria-label": "Changes of " + tenant},
    Object.keys(CHANGES).map((name) => button(LABELS[name] + "…", () => CHANGES[name](tenant)))) : null;
}

/** Returns the button that pauses or resumes a subscription; an empty text for a viewer. */
export function subscriptionButton(tenant, name, isPaused) {
  const act = () => confirmed((isPaused ? "Resume " : "Pause ") + name + " of " + tenant + "?", isPaused
    ? "Its held deliveries are attempted again, the oldest first, by the rules for new items."
    : "Its deliveries are made and held in the delay lane until it is resumed. Other subscriptions go on.",
  isPaused ? "Resume" : "Pause", () => ({action: "subscribe", tenant, name, paused: isPaused ? "default" : "true"}));
  return isOperator() ? button((isPaused ? "Resume" : "Pause") + "…", act) : "";
}

/** Asks for a completed sweep, and records it. */
export function recordSweep() {
  const tenant = input({maxLength: 128, required: true});
  const workload = input({maxLength: 128, placeholder: "all"});
  const startedAt = input({placeholder: new Date().toISOString(), required: true});
  confirmed("Record a completed sweep?", "Items that entered before the sweep started, less the tenant's sweepMargin, are dropped: the sweep has "
    + "done their work. This cannot be undone.", "Record sweep",
  () => withWorkload({action: "sweep", tenant: tenant.value, startedAt: startedAt.value}, workload),
  [field("Tenant, or * for all", tenant), field("Only this workload", workload), field("Started at", startedAt)]);
}
