// Small line charts of the last hour, as inline SVG. Their colours are classes of the style sheet.

import {el, setAttribute, setText, svg, time} from "./dom.js";
import {span} from "./format.js";

const WIDTH = 600;
const HEIGHT = 100;
// What a chart shows of a short history. The ring of the gateway holds one hour.
const LEAST_MILLIS = 300000;
// A gap in the points, as after a sleep of the machine, is a gap in the line.
const GAP_MILLIS = 60000;

/**
 * Creates a chart of some series {name, className, value(point)}; a value of null is unknown, and breaks the line.
 * Stacked series are areas, from the bottom up.
 */
export function chart({title, series, format, isStacked = false}) {
  const shapes = series.map((each) => svg("path", {class: (isStacked ? "area " : "line ") + each.className, d: ""}));
  const cursor = svg("line", {class: "cursor", x1: 0, x2: 0, y1: 0, y2: HEIGHT});
  const drawing = svg("svg", {viewBox: "0 0 " + WIDTH + " " + HEIGHT, preserveAspectRatio: "none", role: "img"},
    shapes, cursor);
  const values = series.map((each) => el("span", {class: "value"}));
  const legend = el("p", {class: "legend"}, series.map((each, i) => el("span", {class: "entry"},
    el("span", {class: "key " + each.className}), each.name + " ", values[i])));
  const top = el("span", {});
  const start = el("span", {}, "start");
  const when = el("span", {class: "soft"}, "now");
  const figure = el("figure", {}, el("figcaption", {}, title, " ", when), legend, el("div", {class: "plot"}, drawing),
    el("p", {class: "axis soft"}, start, top, el("span", {}, "now")));
  let points = [];
  let endMillis = 0;
  let shownMillis = LEAST_MILLIS;
  let isPointed = false;

  const readout = (point) => {
    series.forEach((each, i) => {
      const value = point === undefined ? null : each.value(point);
      setText(values[i], value === null || value === undefined ? "–" : format(value));
    });
  };

  const update = (newest) => {
    points = newest;
    endMillis = points.length === 0 ? 0 : Date.parse(points[points.length - 1].at);
    shownMillis = points.length === 0 ? LEAST_MILLIS : Math.max(LEAST_MILLIS, endMillis - Date.parse(points[0].at));
    setText(start, span(shownMillis / 1000, 1) + " ago");
    const sums = points.map(() => 0);
    const levels = series.map((each) => points.map((point, i) => {
      const value = each.value(point);
      if (value === null || value === undefined) return null;
      return isStacked ? (sums[i] += value) : value;
    }));
    const highest = Math.max(1e-9, ...levels.flat().filter((value) => value !== null));
    const x = (i) => WIDTH * (1 - (endMillis - Date.parse(points[i].at)) / shownMillis);
    const y = (value) => HEIGHT - (HEIGHT - 2) * value / highest;
    levels.forEach((level, s) => {
      setAttribute(shapes[s], "d", isStacked ? area(level, s === 0 ? level.map(() => 0) : levels[s - 1], x, y) : path(level, x, y));
    });
    setText(top, points.length === 0 ? "no points yet" : "top: " + format(highest < 1e-6 ? 0 : highest));
    setAttribute(drawing, "aria-label", title + ": " + (points.length === 0 ? "no points yet"
      : series.map((each) => {
        const value = each.value(points[points.length - 1]);
        return each.name + " " + (value === null ? "unknown" : format(value));
      }).join(", ") + "; highest " + format(highest < 1e-6 ? 0 : highest)));
    if (!isPointed) readout(points[points.length - 1]);
  };

  const path = (level, x, y) => {
    let d = "";
    level.forEach((value, i) => {
      if (value === null) return;
      const isFirst = i === 0 || level[i - 1] === null || isGap(i);
      // A lone point is a line to itself, which is a dot.
      d += (isFirst ? "M" + x(i).toFixed(1) + " " + y(value).toFixed(1) : "") + "L" + x(i).toFixed(1) + " " + y(value).toFixed(1);
    });
    return d;
  };

  const isGap = (i) => Date.parse(points[i].at) - Date.parse(points[i - 1].at) > GAP_MILLIS;

  const area = (upper, lower, x, y) => {
    if (points.length < 2) return "";
    const there = upper.map((value, i) => x(i).toFixed(1) + " " + y(value).toFixed(1));
    const back = lower.map((value, i) => x(i).toFixed(1) + " " + y(value).toFixed(1)).reverse();
    return "M" + there.concat(back).join("L") + "Z";
  };

  drawing.addEventListener("pointermove", (event) => {
    if (points.length === 0) return;
    const box = drawing.getBoundingClientRect();
    const millis = endMillis - shownMillis * (1 - (event.clientX - box.left) / box.width);
    const distance = (point) => Math.abs(Date.parse(point.at) - millis);
    const nearest = points.reduce((best, point) => distance(point) < distance(best) ? point : best);
    const at = WIDTH * (1 - (endMillis - Date.parse(nearest.at)) / shownMillis);
    setAttribute(cursor, "x1", String(at));
    setAttribute(cursor, "x2", String(at));
    isPointed = true;
    cursor.classList.add("shown");
    when.replaceChildren(time(nearest.at));
    readout(nearest);
  });
  drawing.addEventListener("pointerleave", () => {
    isPointed = false;
    cursor.classList.remove("shown");
    when.replaceChildren("now");
    readout(points[points.length - 1]);
  });
  return {figure, update};
}
