package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Partitions that belong to one tenant each, which no other tenant's items enter. Immutable.
 */
public final class Dedication {
    private final int partitions;
    private final Map<String, int[]> own;
    private final boolean[] isDedicated;
    private final int[] shared;

    private Dedication(int partitions, Map<String, int[]> own) {
        this.partitions = partitions;
        this.own = own;
        this.isDedicated = new boolean[partitions];
        own.values().forEach(list -> Arrays.stream(list).forEach(partition -> isDedicated[partition] = true));
        int[] left = new int[partitions];
        int count = 0;
        for (int partition = 0; partition < partitions; partition++) {
            if (!isDedicated[partition]) {
                left[count++] = partition;
            }
        }
        this.shared = Arrays.copyOf(left, count);
    }

    /**
     * Nobody has partitions of its own.
     *
     * @param partitions of each lane, 1 to {@link ShuffleSharder#MAX_SLOTS}
     * @throws IllegalArgumentException when the number is out of its range
     */
    public static Dedication none(int partitions) {
        VirtualSlots.requirePartitions(partitions);
        return new Dedication(partitions, Map.of());
    }

    /**
     * With these partitions for a tenant that has none yet.
     *
     * @param chosen of the shared ones, all different; copied
     */
    Dedication with(String tenant, int... chosen) {
        Map<String, int[]> more = new TreeMap<>(own);
        more.put(tenant, Arrays.stream(chosen).sorted().toArray());
        return new Dedication(partitions, Collections.unmodifiableMap(more));
    }

    /** The tenant's own partitions in ascending order; empty when it has none. */
    public List<Integer> of(String tenant) {
        return Arrays.stream(own.getOrDefault(tenant, new int[0])).boxed().toList();
    }

    /** Partitions in all, dedicated and shared. */
    public int partitions() {
        return partitions;
    }

    /** How many partitions remain for all tenants without their own; 1 or more. */
    public int sharedPartitions() {
        return shared.length;
    }

    /** Whether a partition belongs to one tenant. */
    public boolean isDedicated(int partition) {
        return isDedicated[partition];
    }

    /** The shared partitions in ascending order, for readers in this package that do not change them. */
    int[] shared() {
        return shared;
    }

    /** The tenant's own partitions, or null, for readers in this package that do not change them. */
    int[] ownOf(String tenant) {
        return own.get(tenant);
    }
}
