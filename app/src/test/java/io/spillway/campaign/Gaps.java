package io.spillway.campaign;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Times at which something was seen, by source. Thread-safe. */
final class Gaps {
    private final Map<String, TreeSet<Long>> timesMillis = new TreeMap<>();

    /**
     * Longest time without anything of a source.
     *
     * @param source the one that was silent for longest
     */
    record Longest(String source, long millis) {}

    synchronized void seen(String source, long atMillis) {
        timesMillis.computeIfAbsent(source, absent -> new TreeSet<>()).add(atMillis);
    }

    /**
     * Returns the longest gap of any source that overlaps with a period, with its parts outside of it. A source of
     * which nothing was seen later is silent until the end of the period.
     */
    synchronized Longest longest(long fromMillis, long toMillis) {
        return timesMillis.entrySet().stream()
                .map(source -> new Longest(source.getKey(), longest(source.getValue(), fromMillis, toMillis)))
                .max((one, other) -> Long.compare(one.millis, other.millis))
                .orElse(new Longest("all", toMillis - fromMillis));
    }

    private static long longest(TreeSet<Long> times, long fromMillis, long toMillis) {
        long longest = 0;
        Long floor = times.floor(fromMillis);
        long last = floor == null ? fromMillis : floor;
        while (last < toMillis) {
            Long next = times.higher(last);
            longest = Math.max(longest, (next == null ? toMillis : next) - last);
            if (next == null) {
                break;
            }
            last = next;
        }
        return longest;
    }

    /** Returns the number of sources of which anything was seen. */
    synchronized int sources() {
        return timesMillis.size();
    }

    synchronized String counts() {
        return timesMillis.entrySet().stream().map(source -> source.getKey() + " " + source.getValue().size())
                .collect(Collectors.joining(", "));
    }
}
