package io.spillway.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Check of a campaign's items against what became of them. Pure.
 *
 * @param accepted ids that Kafka or the gateway confirmed
 * @param unknown  ids whose sender does not know: stored once or not at all
 * @param ends     how often each id ended, by word: done, dropped or dead
 * @param called   ids for which a handler was called
 */
record Fates(Set<String> accepted, Set<String> unknown, Map<String, Map<String, Integer>> ends, Set<String> called) {
    private static final int MOST_SHOWN = 20;

    /** Returns a line for each breach, at most {@value #MOST_SHOWN} and a count; empty if every guarantee holds. */
    List<String> breaches() {
        List<String> breaches = new ArrayList<>();
        accepted.forEach(id -> {
            int count = count(id);
            if (count != 1) {
                breaches.add(id + " was accepted and has " + count + " ends: " + ends.getOrDefault(id, Map.of()));
            }
        });
        unknown.forEach(id -> {
            if (count(id) > 1) {
                breaches.add(id + " was sent once and has several ends: " + ends.get(id));
            }
        });
        ends.forEach((id, words) -> {
            if (!accepted.contains(id) && !unknown.contains(id)) {
                breaches.add(id + " was never sent and has ends: " + words);
            }
            if (words.containsKey("done") && !called.contains(id)) {
                breaches.add(id + " is done and no handler was called for it");
            }
        });
        int more = breaches.size() - MOST_SHOWN;
        List<String> shown = new ArrayList<>(breaches.subList(0, Math.min(MOST_SHOWN, breaches.size())));
        if (more > 0) {
            shown.add("and " + more + " more");
        }
        return shown;
    }

    private int count(String id) {
        return ends.getOrDefault(id, Map.of()).values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns the number of items by how they ended. */
    Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        ends.values().forEach(words -> words.keySet().forEach(word -> counts.merge(word, 1L, Long::sum)));
        return counts;
    }
}
