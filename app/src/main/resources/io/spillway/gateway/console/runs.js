// Replays and discards that run in the gateways. They are asked from the gateway, so they outlive a reload of the page.

import {get, isOperator, post} from "./api.js";
import {ask, button, el, notice, table, time} from "./dom.js";
import {count} from "./format.js";

const isActive = (run) => run.state === "counting" || run.state === "running";

function progress(run) {
  const bar = el("progress", {"aria-label": "Progress of " + run.kind + " " + run.id});
  if (run.state !== "counting") {
    bar.max = Math.max(1, run.selected);
    bar.value = run.done;
  }
  return el("span", {}, bar, " " + count(run.done || 0) + (run.selected === undefined || run.selected === null ? "" : " of " + count(run.selected)));
}

function cancel(run) {
  ask({title: "Cancel this " + run.kind + "?", yes: "Cancel " + run.kind, body: el("p", {},
    "What it has done stays done. The other dead letters stay as they are, and can be selected again."),
  act: async () => {
    await post("runs/" + run.id + ":cancel", {});
    notice("The " + run.kind + " is being cancelled.");
  }});
}

/** Returns the panel; its refresh returns how many runs have not ended. */
export function runsPanel() {
  const list = table("Replays and discards", [
    {title: "Run", cell: (run) => run.kind + " " + run.id},
    {title: "State", cell: (run) => run.state, alarm: (run) => run.state === "failed"},
    {title: "Progress", key: (run) => run.id + run.state + run.done + "/" + run.selected, cell: progress},
    {title: "Rate", n: true, cell: (run) => run.rate ? count(run.rate) + "/s" : ""},
    {title: "Started", key: (run) => run.startedAt, cell: (run) => time(run.startedAt)},
    {title: "By", cell: (run) => run.by || ""},
    {title: "Result", cell: (run) => run.result || ""},
    {title: "", key: (run) => run.id + isActive(run), cell: (run) => isOperator() && isActive(run)
      ? button("Cancel…", () => cancel(run)) : el("span")},
  ], "None since this gateway started.");
  const refresh = async () => {
    const answer = await get("runs");
    list.show(answer.runs);
    return answer.runs.filter(isActive).length;
  };
  return {node: el("section", {}, el("h3", {}, "Replays and discards"), list.node), refresh};
}
