// Numbers, durations and times as text. Pure, but for the reader's time zone.

export const LANES = ["hot", "overflow", "aged", "delay"];

export const count = (n) => n.toLocaleString("en");
export const rate = (n) => n.toLocaleString("en", {minimumFractionDigits: 1, maximumFractionDigits: 1});
export const share = (part) => part === 1 ? "all" : (100 * part).toLocaleString("en", {maximumSignificantDigits: 2}) + "%";
export const counted = (n, noun) => count(n) + " " + noun + (n === 1 ? "" : "s");

/** Formats a duration with at most this number of units, largest first: "2h 5m". */
export function span(seconds, units = 2) {
  let rest = Math.max(0, Math.ceil(seconds));
  const parts = [];
  for (const [size, name] of [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]]) {
    if (rest >= size) parts.push(Math.floor(rest / size) + name);
    rest %= size;
  }
  return parts.slice(0, units).join(" ") || "0s";
}

/** Returns the forecast of a backlog; null seconds stand for never, and an empty backlog has none. */
export const drainedIn = (seconds) => seconds === null || seconds === undefined ? "never" : seconds === 0 ? "" : span(seconds);

export function bytes(n) {
  if (n < 1024) return count(n) + " B";
  return n < 1048576 ? rate(n / 1024) + " KiB" : rate(n / 1048576) + " MiB";
}

/** Returns a time in the reader's zone, without the date if it is today. */
export function localTime(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  const today = new Date().toDateString() === at.toDateString();
  return today ? at.toLocaleTimeString() : at.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "medium"});
}

/** Returns what is wrong, most urgent first, as one line for the title; empty if nothing is. */
export function problem(depths) {
  if (isStalled(depths)) return "Nothing moves";
  if (depths.tenantsLate > 0) return counted(depths.tenantsLate, "tenant") + " late";
  return "";
}

// Balances follow moves within about a second. If work waits and nothing has moved for this time, something is wrong.
const STALLED_SECONDS = 30;

export const idleSeconds = (depths) => Math.max(0, (Date.parse(depths.asOf) - Date.parse(depths.changedAt)) / 1000);

export const isStalled = ({lanes, ...depths}) => depths.changedAt !== null && idleSeconds(depths) > STALLED_SECONDS
  && LANES.some((lane) => lane !== "delay" && lanes[lane] !== undefined && lanes[lane].waiting > 0);
