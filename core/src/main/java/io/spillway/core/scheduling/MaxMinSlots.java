package io.spillway.core.scheduling;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Division of concurrency limits among the workers, in whole slots: one worker's part of each limit, from the latest
 * demand of all live workers. Workers with the same input compute parts that add up to at most the limit.
 *
 * <ul>
 * <li>Max-min fair: a worker gets its demand up to an equal part, and what it leaves goes to the others. Slots that no
 * demand needs are divided equally among all workers, so that new items start at once.
 * <li>A remainder that is too small for one slot each rotates: each worker has one in every cycle of turns. The order
 * of a cycle is random by tenant, so that it cannot match the duration of attempts.
 * <li>A worker raises its part only when the others have given the slots up: it leaves out what they still claim beyond
 * their parts.
 * </ul>
 *
 * <p>Immutable. A limit is identified by {@link #key}.
 */
public final class MaxMinSlots {
    /** Shares of a worker that knows no other: each limit as a whole. */
    public static final MaxMinSlots ALONE = new MaxMinSlots("", Map.of("", Map.of()), 0);
    /** Maximum number of limits with demand that one worker publishes: those with the highest demand. */
    public static final int MAX_PUBLISHED = 1_000;

    private static final Demand NONE = new Demand(0, 0);

    private final SortedMap<String, Map<String, Demand>> members = new TreeMap<>();
    private final String member;
    private final long turn;

    /**
     * Demand of one worker under one limit.
     *
     * @param wanted  waiting and running items, 0 or more
     * @param claimed slots that it uses or may use until its next status, 0 or more
     */
    public record Demand(int wanted, int claimed) {
        /** @throws IllegalArgumentException when a number is negative */
        public Demand {
            if (wanted < 0 || claimed < 0) {
                throw new IllegalArgumentException("wanted = " + wanted + ", claimed = " + claimed
                        + ": must be 0 or more");
            }
        }
    }

    /**
     * Creates the shares of one worker. One that is missing among the members counts as one without demand.
     *
     * @param members demand of each live worker by key; a missing key means none
     * @param turn    number of the current turn, the same on all workers
     */
    public MaxMinSlots(String member, Map<String, Map<String, Demand>> members, long turn) {
        this.member = member;
        this.members.putAll(members);
        this.members.putIfAbsent(member, Map.of());
        this.turn = turn;
    }

    /** Returns the demand that a worker publishes: at most {@link #MAX_PUBLISHED} limits, those with the highest. */
    public static Map<String, Demand> published(Map<String, Demand> demands) {
        return demands.size() <= MAX_PUBLISHED ? demands : demands.entrySet().stream()
                .sorted(Map.Entry.<String, Demand>comparingByValue(Comparator.comparingInt(Demand::wanted).reversed())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_PUBLISHED)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Returns the key of a tenant's limit, and with a workload, empty for none, of that workload's. */
    public static String key(String tenant, String workload) {
        // Neither name contains a slash.
        return workload.isEmpty() ? tenant : tenant + "/" + workload;
    }

    /** Returns the slots that this worker may use of a limit, 0 to the limit; no limit stays none. */
    public int of(String key, int limit) {
        if (limit == Integer.MAX_VALUE || members.size() == 1) {
            return limit;
        }
        List<Part> parts = members.entrySet().stream()
                .map(entry -> new Part(entry.getKey(), entry.getValue().getOrDefault(key, NONE), limit))
                .toList();
        deal(parts, fill(parts, limit, key), key);
        Map<String, Demand> own = members.get(member);
        // The others cannot know a demand that is not published, which must not wait for ever.
        int least = own.size() >= MAX_PUBLISHED && !own.containsKey(key) ? 1 : 0;
        long excess = parts.stream().mapToLong(part -> Math.max(part.claimed, part.slots)).sum() - limit;
        for (Part part : parts) {
            // Slots that the others have not given up are not there yet; the workers before it wait first.
            int gap = (int) Math.max(0, Math.min(excess, part.slots - part.claimed));
            if (part.name.equals(member)) {
                return Math.max(least, part.slots - gap);
            }
            excess -= gap;
        }
        throw new IllegalStateException(member + " is not one of the members");
    }

    /** Gives each its demand up to an equal part; returns the slots that are left. */
    private int fill(List<Part> parts, int limit, String key) {
        int left = limit;
        List<Part> byDemand = parts.stream().sorted(Comparator.comparingInt(part -> part.wanted)).toList();
        for (int i = 0; i < byDemand.size(); i++) {
            Part part = byDemand.get(i);
            if (part.wanted > left / (byDemand.size() - i)) {
                deal(byDemand.subList(i, byDemand.size()), left, key);
                return 0;
            }
            part.slots = part.wanted;
            left -= part.wanted;
        }
        return left;
    }

    /** Adds an equal part of the slots to each; the remainder goes to those whose turn it is. */
    private void deal(Collection<Part> parts, int slots, String key) {
        int share = slots / parts.size();
        int rest = slots % parts.size();
        parts.forEach(part -> part.slots += share);
        if (rest == 0) {
            return;
        }
        int turns = (parts.size() + rest - 1) / rest;
        long cycle = Math.floorDiv(turn, turns);
        int first = (int) Math.floorMod(turn, (long) turns) * rest;
        List<Part> order = parts.stream()
                .sorted(Comparator.<Part>comparingLong(part -> hash(key, part.name, cycle))
                        .thenComparing(part -> part.name))
                .toList();
        for (int i = first; i < first + rest; i++) {
            order.get(i % order.size()).slots++;
        }
    }

    private static long hash(String key, String name, long cycle) {
        // The finalizer of SplitMix64: neighbouring cycles get independent orders.
        long mixed = (31L * key.hashCode() + name.hashCode()) * 0x9E3779B97F4A7C15L + cycle * 0xD1B54A32D192ED03L;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /** Slots of one worker under one limit. */
    private static final class Part {
        final String name;
        final int wanted;
        final int claimed;
        int slots;

        Part(String name, Demand demand, int limit) {
            this.name = name;
            this.wanted = Math.min(demand.wanted, limit);
            this.claimed = demand.claimed;
        }
    }
}
