// Elements of the page. All data is inserted as text, never as markup.

import {localTime} from "./format.js";

export const at = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";
// Attributes without a property of the same name that is safe to set; none of them can hold a script or a style.
const ATTRIBUTES = /^(aria-[a-z]+|role|d|viewBox|preserveAspectRatio|x1|x2|y1|y2|scope|for|datetime)$/;

/** Creates an element: properties, or attributes of the list above, then children, which are nodes or text. */
export function el(name, properties = {}, ...children) {
  return fillIn(document.createElement(name), properties, children);
}

export function svg(name, properties = {}, ...children) {
  return fillIn(document.createElementNS(SVG, name), properties, children);
}

function fillIn(node, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") node.classList.add(...value.split(" ").filter(Boolean));
    else if (key === "on") Object.entries(value).forEach(([type, listener]) => node.addEventListener(type, listener));
    else if (ATTRIBUTES.test(key)) node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Changes an attribute of the list above. */
export function setAttribute(node, name, value) {
  if (ATTRIBUTES.test(name) && node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** Changes only different text, so that selections stay and screen readers do not repeat it. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Creates a time in the reader's zone, with the exact instant as its title. */
export function time(iso) {
  return iso === null || iso === undefined ? el("span") : el("time", {datetime: iso, title: iso}, localTime(iso));
}

export const button = (label, act, className = "") => el("button", {type: "button", class: className, on: {click: act}}, label);

export const field = (label, control, hint = "") => el("label", {class: "field"}, el("span", {}, label), control,
  hint === "" ? null : el("span", {class: "soft"}, hint));

export function select(options, value) {
  const node = el("select", {}, options.map(([key, label]) => el("option", {value: key}, label)));
  node.value = value;
  return node;
}

/**
 * Creates a table that can be shown again with other rows; rows and cells that stay keep their nodes, and so the focus.
 * A column is {title, n, cell(row), title(row)}: n for numbers, and cell returns text or a node.
 */
export function table(label, columns, empty) {
  const body = el("tbody");
  const head = el("tr", {}, columns.map((column) => el("th", {scope: "col", class: column.n ? "n" : ""}, column.title)));
  const none = el("p", {class: "soft none"}, empty);
  const node = el("div", {class: "wide", role: "region", tabIndex: 0, "aria-label": label},
    el("table", {"aria-label": label}, el("thead", {}, head), body), none);
  const show = (rows) => {
    none.hidden = rows.length > 0;
    while (body.rows.length > rows.length) body.deleteRow(-1);
    while (body.rows.length < rows.length) body.append(el("tr", {}, columns.map((column, i) => i === 0
      ? el("th", {scope: "row", class: column.n ? "n" : ""}) : el("td", {class: column.n ? "n" : ""}))));
    rows.forEach((row, i) => columns.forEach((column, j) => put(body.rows[i].cells[j], column, row)));
  };
  return {node, show, head};
}

function put(cell, column, row) {
  const content = column.cell(row);
  if (content instanceof Node) {
    // A cell with the same key keeps its node: a link that has the focus, or a box that is checked.
    const key = column.key === undefined ? content.textContent : column.key(row);
    if (cell.spillwayKey === key && cell.firstChild !== null) return;
    cell.spillwayKey = key;
    cell.replaceChildren(content);
  } else {
    setText(cell, String(content));
  }
  if (column.alarm !== undefined) cell.classList.toggle("alarm", column.alarm(row));
}

/** Shows facts as a list of terms; a value is text or a node. */
export const facts = (rows) => el("dl", {}, rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));

export function notice(text, isAlarm = false) {
  setText(at("notice"), text);
  at("notice").classList.toggle("alarm", isAlarm);
}

/** Runs while these buttons are disabled; the one that had the focus gets it back. */
export async function disabling(buttons, act) {
  const focused = buttons.find((each) => each === document.activeElement);
  buttons.forEach((each) => {
    each.disabled = true;
  });
  try {
    return await act();
  } finally {
    buttons.forEach((each) => {
      each.disabled = false;
    });
    if (document.activeElement === document.body) focused?.focus();
  }
}

let answer = null;
// Whoever waits for a gateway must not ask, or close a question, that the user does not expect any more.
let turn = 0;

/** Begins something else: what was begun before is out of date. */
export function nextTurn() {
  turn++;
}

/** Returns a function that tells whether the user has done nothing else since: no question, no answer, no other page. */
export function sameTurn() {
  const mine = turn;
  return () => mine === turn;
}

/**
 * Asks before a change. The text says what will happen; act is called when the user agrees. If it throws, its message
 * is shown and the question stays; it also stays if act returns true, because it has asked something else.
 */
export function ask({title, body, yes, act}) {
  const dialog = at("dialog");
  nextTurn();
  setText(at("dialog-title"), title);
  at("dialog-body").replaceChildren(...[body].flat());
  setText(at("dialog-error"), "");
  setText(at("dialog-yes"), yes || "");
  at("dialog-yes").hidden = !yes;
  at("dialog-yes").disabled = false;
  setText(at("dialog-no"), yes ? "Do nothing" : "Close");
  answer = act;
  if (!dialog.open) dialog.showModal();
}

export function listenToDialog() {
  at("dialog").addEventListener("close", nextTurn);
  at("dialog-no").addEventListener("click", () => at("dialog").close());
  at("dialog-yes").addEventListener("click", async () => {
    const isSame = sameTurn();
    at("dialog-yes").disabled = true;
    try {
      if (await answer() !== true && isSame()) at("dialog").close();
    } catch (e) {
      if (isSame()) setText(at("dialog-error"), e.message); else notice(e.message, true);
    }
    if (isSame()) at("dialog-yes").disabled = false;
  });
}
