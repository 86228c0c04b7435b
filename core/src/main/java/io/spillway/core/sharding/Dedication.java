package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Partitions reserved for one tenant each. Other tenants' items do not enter them. Immutable. */
public final class Dedication {
    private final int partitions;
    private final Map<String, int[]> own;
    private final int[] shared;

    private Dedication(int partitions, Map<String, int[]> own) {
        this.partitions = partitions;
        this.own = own;
        boolean[] isDedicated = new boolean[partitions];
        own.values().forEach(list -> Arrays.stream(list).forEach(partition -> isDedicated[partition] = true));
        this.shared = IntStream.range(0, partitions).filter(partition -> !isDedicated[partition]).toArray();
    }

    /**
     * Returns a dedication without reserved partitions, for lanes of 1 to {@link ShuffleSharder#MAX_SLOTS} partitions.
     */
    public static Dedication none(int partitions) {
        VirtualSlots.requirePartitions(partitions);
        return new Dedication(partitions, Map.of());
    }

    /** Returns a copy with shared partitions, all different, for a tenant that has none yet. */
    Dedication with(String tenant, int... chosen) {
        Map<String, int[]> more = new TreeMap<>(own);
        more.put(tenant, Arrays.stream(chosen).sorted().toArray());
        return new Dedication(partitions, Collections.unmodifiableMap(more));
    }

    /** Returns the tenant's own partitions in ascending order; empty when it has none. */
    public List<Integer> of(String tenant) {
        return Arrays.stream(own.getOrDefault(tenant, new int[0])).boxed().toList();
    }

    /** Returns the number of partitions, dedicated and shared. */
    public int partitions() {
        return partitions;
    }

    /** Returns the number of partitions for all tenants without their own; 1 or more. */
    public int sharedPartitions() {
        return shared.length;
    }

    /** Returns the shared partitions in ascending order. Not copied: callers must not change them. */
    int[] shared() {
        return shared;
    }

    /** Returns the tenant's own partitions, or null. Not copied: callers must not change them. */
    int[] ownOf(String tenant) {
        return own.get(tenant);
    }
}
