package io.spillway.policy;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which tenants have partitions of their own, which nobody else's items enter. Immutable: each change is another value.
 *
 * <p>It always leaves {@code leastShared} partitions to all others: with fewer than twice a shard's size left, shards are
 * hardly different from one another, and with none there is nowhere to go.
 */
public final class Dedication {
    private final int partitions;
    private final int leastShared;
    private final Map<String, int[]> own;
    private final boolean[] isDedicated;
    private final int[] shared;

    private Dedication(int partitions, int leastShared, Map<String, int[]> own) {
        this.partitions = partitions;
        this.leastShared = leastShared;
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
     * @param partitions  of each lane, 1 to {@link ShuffleSharder#MAX_SLOTS}
     * @param leastShared partitions that always remain for all others, 1 to partitions
     * @throws IllegalArgumentException when a number is out of its range
     */
    public static Dedication none(int partitions, int leastShared) {
        if (partitions < 1 || partitions > ShuffleSharder.MAX_SLOTS || leastShared < 1 || leastShared > partitions) {
            throw new IllegalArgumentException("partitions = " + partitions + ", leastShared = " + leastShared
                    + ": must be from 1 to " + ShuffleSharder.MAX_SLOTS + ", and from 1 to the partitions");
        }
        return new Dedication(partitions, leastShared, Map.of());
    }

    /**
     * Gives a tenant so many partitions of its own: those it has, and of the shared ones the highest. When it has more, it
     * gives the lowest of them back. Other tenants' own partitions stay as they are.
     *
     * @param tenant not null
     * @param count  1 to {@link Placement#MAX_PARTITIONS}
     */
    public Isolation isolate(String tenant, int count) {
        int[] has = own.getOrDefault(tenant, new int[0]);
        int mayTake = shared.length - leastShared + has.length;
        if (count < 1 || count > Math.min(mayTake, Placement.MAX_PARTITIONS)) {
            return refused(tenant, count + " dedicated", mayTake);
        }
        int[] chosen = new int[count];
        for (int i = 0; i < count; i++) {
            chosen[i] = i < has.length ? has[has.length - 1 - i] : shared[shared.length - 1 - (i - has.length)];
        }
        return new Isolation.Isolated(with(tenant, chosen));
    }

    /**
     * Gives a tenant these partitions for its own, as a stored record says, in place of those it has.
     *
     * @param tenant not null
     * @param chosen 1 to {@link Placement#MAX_PARTITIONS} different partitions; copied
     */
    public Isolation dedicate(String tenant, int... chosen) {
        int[] has = own.getOrDefault(tenant, new int[0]);
        int mayTake = shared.length - leastShared + has.length;
        int[] sorted = chosen.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            int partition = sorted[i];
            if (partition < 0 || partition >= partitions || i > 0 && partition == sorted[i - 1]) {
                return new Isolation.Refused(Printable.of(tenant) + ": partitions " + Arrays.toString(sorted)
                        + ": must be different, from 0 to " + (partitions - 1));
            }
            if (isDedicated[partition] && Arrays.binarySearch(has, partition) < 0) {
                return new Isolation.Refused(Printable.of(tenant) + ": partition " + partition + " is dedicated to another tenant");
            }
        }
        return sorted.length < 1 || sorted.length > Math.min(mayTake, Placement.MAX_PARTITIONS)
                ? refused(tenant, sorted.length + " dedicated", mayTake)
                : new Isolation.Isolated(with(tenant, sorted));
    }

    /** What it is when a tenant has no partitions of its own any more; the same value when it had none. */
    public Dedication release(String tenant) {
        if (!own.containsKey(tenant)) {
            return this;
        }
        Map<String, int[]> rest = new TreeMap<>(own);
        rest.remove(tenant);
        return new Dedication(partitions, leastShared, Collections.unmodifiableMap(rest));
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

    private Dedication with(String tenant, int[] chosen) {
        Arrays.sort(chosen);
        Map<String, int[]> more = new TreeMap<>(own);
        more.put(tenant, chosen);
        return new Dedication(partitions, leastShared, Collections.unmodifiableMap(more));
    }

    private Isolation refused(String tenant, String wish, int mayTake) {
        int most = Math.min(mayTake, Placement.MAX_PARTITIONS);
        return new Isolation.Refused(Printable.of(tenant) + ": " + wish + (most < 1
                ? ": no partition can be spared: of " + partitions + ", " + leastShared + " must stay shared and the rest is dedicated"
                : ": must be from 1 to " + most + ": of " + partitions + " partitions " + leastShared + " must stay shared"));
    }
}
