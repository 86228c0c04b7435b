package io.spillway.cli.deadletters;

import io.spillway.deadletter.DeadLetter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Newest of the dead letters offered. Bound: {@code max} dead letters and {@link #MAX_BYTES} of values and headers; at
 * least one is kept.
 */
final class Newest {
    private static final long MAX_BYTES = 64L * 1024 * 1024;
    private static final Comparator<DeadLetter> BY_DEATH = Comparator
            .comparingLong((DeadLetter letter) -> letter.deadAtMillis().orElse(Long.MIN_VALUE))
            .thenComparingInt(letter -> letter.record().partition())
            .thenComparingLong(letter -> letter.record().offset());

    private final int max;
    private final PriorityQueue<DeadLetter> kept = new PriorityQueue<>(BY_DEATH);
    private long bytes;

    Newest(int max) {
        this.max = max;
    }

    void offer(DeadLetter letter) {
        kept.add(letter);
        bytes += size(letter);
        while (kept.size() > max || bytes > MAX_BYTES && kept.size() > 1) {
            bytes -= size(kept.remove());
        }
    }

    List<DeadLetter> oldestFirst() {
        List<DeadLetter> sorted = new ArrayList<>(kept);
        sorted.sort(BY_DEATH);
        return sorted;
    }

    private static long size(DeadLetter letter) {
        long bytes = Math.max(0, letter.record().serializedValueSize())
                + Math.max(0, letter.record().serializedKeySize())
                + 200;
        for (var header : letter.record().headers()) {
            bytes += header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }
}
