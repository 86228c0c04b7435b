package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Leases of attempts as their handlers wrote them, by the clock of the machine that all processes share and nothing
 * sets: {@code > TENANT/ID ATTEMPT BEGIN LEASE} and {@code < TENANT/ID ATTEMPT END}, in milliseconds.
 */
public final class Leases {
    static final String START = "> ";
    static final String END = "< ";

    private Leases() {}

    private record Attempt(long startMillis, long leaseEndMillis, long endMillis) {
        /** Returns until when no other attempt may begin. */
        long holdsToMillis() {
            return Math.min(leaseEndMillis, endMillis);
        }
    }

    /** Writer of a line for an attempt. */
    @FunctionalInterface
    public interface Writer {
        void write(byte[] line) throws Exception;
    }

    /** Takes this time for an attempt, and writes its lines. */
    public static Outcome last(Delivery delivery, long millis, Writer writer) throws Exception {
        String call = delivery.tenant() + "/" + delivery.id() + " " + UUID.randomUUID() + " ";
        long leaseMillis = Duration.between(Instant.now(), delivery.lease().endsAt()).toMillis();
        writer.write(line(START + call + nowMillis() + " " + leaseMillis));
        try {
            Thread.sleep(millis);
            return Outcome.done();
        } finally {
            writer.write(line(END + call + nowMillis()));
        }
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether a line of a handler's file is one of these. */
    public static boolean isOne(String line) {
        return line.startsWith(START) || line.startsWith(END);
    }

    /** Returns a line for each attempt that began while an earlier one of its item ran in its lease. */
    public static List<String> overlaps(List<String> lines) {
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
