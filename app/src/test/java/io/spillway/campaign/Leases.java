package io.spillway.campaign;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Leases of attempts as their handlers wrote them, by the clock of the machine that all processes share and nothing
 * sets: {@code > TENANT/ID ATTEMPT BEGIN LEASE} and {@code < TENANT/ID ATTEMPT END}, in milliseconds. Pure.
 */
final class Leases {
    private static final String START = "> ";
    private static final String END = "< ";

    private Leases() {}

    private record Attempt(long startMillis, long leaseEndMillis, long endMillis) {
        /** Returns until when no other attempt may begin. */
        long holdsToMillis() {
            return Math.min(leaseEndMillis, endMillis);
        }
    }

    static byte[] started(String call, long atMillis, long leaseMillis) {
        return line(START + call + " " + atMillis + " " + leaseMillis);
    }

    static byte[] ended(String call, long atMillis) {
        return line(END + call + " " + atMillis);
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether a line of a handler's file is one of these. */
    static boolean isOne(String line) {
        return line.startsWith(START) || line.startsWith(END);
    }

    /** Returns a line for each attempt that began while an earlier one of its item ran in its lease. */
    static List<String> overlaps(List<String> lines) {
        Map<String, Map<String, Attempt>> items = new TreeMap<>();
        lines.stream().filter(line -> line.startsWith(START)).map(line -> line.split(" ")).forEach(words -> {
            long startMillis = Long.parseLong(words[3]);
            items.computeIfAbsent(words[1], absent -> new HashMap<>()).put(words[2],
                    new Attempt(startMillis, startMillis + Long.parseLong(words[4]), Long.MAX_VALUE));
        });
        lines.stream().filter(line -> line.startsWith(END)).map(line -> line.split(" ")).forEach(words ->
                items.get(words[1]).computeIfPresent(words[2], (id, attempt) -> new Attempt(
                        attempt.startMillis, attempt.leaseEndMillis, Long.parseLong(words[3]))));
        List<String> overlaps = new ArrayList<>();
        items.forEach((item, attempts) -> {
            List<Attempt> all = attempts.values().stream()
                    .sorted(Comparator.comparingLong(Attempt::startMillis)).toList();
            long heldToMillis = Long.MIN_VALUE;
            for (Attempt attempt : all) {
                if (attempt.startMillis < heldToMillis) {
                    overlaps.add(item + " began " + (heldToMillis - attempt.startMillis)
                            + " ms before an earlier attempt was over: " + all);
                }
                heldToMillis = Math.max(heldToMillis, attempt.holdsToMillis());
            }
        });
        return overlaps;
    }
}
