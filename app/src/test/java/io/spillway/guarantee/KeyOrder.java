package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Order of the attempts of items with an order key, from the lines of {@link Leases}. The id of such an item is its
 * order key, a dot and its number among the items of the key.
 */
public final class KeyOrder {
    private static final String DOT = ".";

    private KeyOrder() {}

    /** Returns whether a line is of an item with an order key. */
    public static boolean isOne(String line) {
        return Leases.isOne(line) && line.split(" ")[1].contains(DOT);
    }

    /** Returns whether an attempt is the first one of a tenth of the items with an order key, which is to fail. */
    public static boolean failsFirst(Delivery delivery) {
        return delivery.id().contains(DOT) && delivery.attempt() == 1
                && Math.floorMod(delivery.id().hashCode(), 10) == 0;
    }

    /** Attempt of one item of a key; {@link Long#MAX_VALUE} is the end of one that has none. */
    private record Attempt(int number, long startMillis, long endMillis) {}

    /**
     * Returns a line for each attempt that began before the last attempt of an earlier item of its key had ended, or
     * after one of a later item had begun.
     */
    public static List<String> breaches(List<String> lines) {
        Map<String, Long> ends = new HashMap<>();
        lines.stream().filter(line -> line.startsWith(Leases.END)).map(line -> line.split(" "))
                .forEach(words -> ends.put(words[2], Long.parseLong(words[3])));
        Map<String, List<Attempt>> keys = new TreeMap<>();
        lines.stream().filter(line -> line.startsWith(Leases.START)).map(line -> line.split(" "))
                .filter(words -> words[1].contains(DOT)).forEach(words -> {
                    int dot = words[1].lastIndexOf(DOT);
                    keys.computeIfAbsent(words[1].substring(0, dot), absent -> new ArrayList<>()).add(new Attempt(
                            Integer.parseInt(words[1].substring(dot + 1)), Long.parseLong(words[3]),
                            ends.getOrDefault(words[2], Long.MAX_VALUE)));
                });
        List<String> breaches = new ArrayList<>();
        keys.forEach((key, attempts) -> {
            attempts.sort(Comparator.comparingLong(Attempt::startMillis).thenComparingInt(Attempt::number));
            for (int i = 1; i < attempts.size(); i++) {
                Attempt before = attempts.get(i - 1);
                Attempt attempt = attempts.get(i);
                if (attempt.number < before.number
                        || attempt.number > before.number && attempt.startMillis < before.endMillis) {
                    breaches.add(key + ": " + attempt + " after " + before);
                }
            }
        });
        return breaches;
    }
}
