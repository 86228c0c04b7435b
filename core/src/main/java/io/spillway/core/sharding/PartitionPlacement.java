package io.spillway.core.sharding;

import io.spillway.core.hashing.TenantHash;
import java.util.Arrays;
import java.util.Optional;

/**
 * Partitions of a lane that a tenant's items may use:
 *
 * <ol>
 *   <li>a tenant with dedicated partitions: those;
 *   <li>a tenant with a number: the partitions of the slots in {@link PolynomialShards};
 *   <li>any other: the partitions of the slots that {@link ShuffleSharder} draws for it.
 * </ol>
 *
 * <p>Cases 2 and 3 use open partitions only: shared partitions with a slot, or all shared ones if none has a slot. A
 * slot on another partition, or on one that the shard already uses, is replaced by another draw for the same tenant. So
 * a tenant always has as many partitions as slots (or all open ones when they are fewer). When a partition becomes
 * dedicated, only the tenants on it move, one partition each. A bound on the overlap of slots holds for partitions
 * while each slot is a partition of its own and none is dedicated.
 *
 * <p>A workload gets the {@code s} of its tenant's partitions with the greatest hash of tenant, workload and partition
 * (rendezvous hashing: Thaler and Ravishankar 1998), so it moves no more than its tenant does.
 *
 * <p>Immutable; thread-safe.
 */
public final class PartitionPlacement {
    /** Maximum number of partitions of one tenant. Larger sizes are reduced to it. */
    public static final int MAX_PARTITIONS = ShuffleSharder.MAX_SIZE;
    /** Default share of a tenant's partitions for one workload. */
    public static final double WORKLOAD_SHARE = 0.5;
    private static final int MAX_DRAWS = 1_024;
    private static final double ROUNDING = 1e-9;

    private final ShuffleSharder sharder;
    private final Optional<PolynomialShards> numbered;
    private final VirtualSlots slots;
    private final Dedication dedication;
    private final int[] open;
    private final boolean[] isOpen;

    /**
     * Creates the placement; sharder and slots must agree on their number, slots and dedication on that of the
     * partitions.
     *
     * @param sharder  for tenants without a number
     * @param numbered shards of tenants with a number, of slots of the table; empty if none has one
     */
    public PartitionPlacement(
            ShuffleSharder sharder, Optional<PolynomialShards> numbered, VirtualSlots slots, Dedication dedication) {
        int ofNumbered = numbered.map(table -> table.rows() * table.width()).orElse(0);
        if (sharder.slots() != slots.slots() || ofNumbered > slots.slots()
                || slots.partitions() != dedication.partitions()) {
            throw new IllegalArgumentException("the sharder has " + sharder.slots() + " slots, numbered tenants "
                    + ofNumbered + ", the table " + slots.slots() + " slots on " + slots.partitions()
                    + " partitions, the dedication " + dedication.partitions() + " partitions: must agree");
        }
        this.sharder = sharder;
        this.numbered = numbered;
        this.slots = slots;
        this.dedication = dedication;
        boolean[] hasSlot = new boolean[slots.partitions()];
        for (int slot = 0; slot < slots.slots(); slot++) {
            hasSlot[slots.partition(slot)] = true;
        }
        int[] withSlot = Arrays.stream(dedication.shared()).filter(partition -> hasSlot[partition]).toArray();
        this.open = withSlot.length == 0 ? dedication.shared() : withSlot;
        this.isOpen = new boolean[slots.partitions()];
        for (int partition : open) {
            isOpen[partition] = true;
        }
    }

    /**
     * Writes the partitions of a tenant's workload, and returns their number.
     *
     * @param number        the tenant's number, or one that has no shard, as {@link PolynomialShards#NONE}
     * @param workload      empty for all of the tenant's partitions
     * @param size          slots of the tenant, 1 or more; reduced to what its shard can have
     * @param workloadShare share of the tenant's partitions for one workload, above 0 and at most 1; rounded up
     * @param into          array of length {@link #MAX_PARTITIONS} for the result, unordered; owner: the calling thread
     */
    public int partitions(
            String tenant, long number, String workload, int size, double workloadShare, int[] into) {
        if (size < 1 || !(workloadShare > 0 && workloadShare <= 1)) {
            throw new IllegalArgumentException(
                    "size = " + size + ": must be 1 or more; workloadShare = " + workloadShare
                            + ": must be above 0 and at most 1");
        }
        int count = ofTenant(tenant, number, size, into);
        if (workload.isEmpty()) {
            return count;
        }
        // Without the rounding error: 0.1 of 30 is 3, not 3.0000000000000004 rounded up to 4.
        int ofWorkload = (int) Math.ceil(count * workloadShare - ROUNDING);
        if (ofWorkload < count) {
            selectFirst(TenantHash.of(tenant, workload, sharder.seed()), ofWorkload, into, count);
        }
        return ofWorkload;
    }

    /** Returns all partitions of a tenant, in ascending order, in a new array. */
    public int[] partitions(String tenant, long number, int size) {
        int[] into = new int[MAX_PARTITIONS];
        return ascending(into, partitions(tenant, number, "", size, 1, into));
    }

    /**
     * Returns the slots of a tenant in ascending order, in a new array, regardless of dedicated partitions. The
     * arguments are as for {@link #partitions}.
     */
    public int[] slots(String tenant, long number, int size) {
        int[] into = new int[MAX_PARTITIONS];
        int count = size(number, size);
        writeSlots(tenant, number, count, into);
        return ascending(into, count);
    }

    /**
     * Returns the partitions for what waits for idle capacity: the tenant's dedicated ones, or all open ones. Not to be
     * modified.
     */
    public int[] excessPartitions(String tenant) {
        int[] own = dedication.ownOf(tenant);
        return own == null ? open : own;
    }

    private static int[] ascending(int[] from, int count) {
        int[] exact = Arrays.copyOf(from, count);
        Arrays.sort(exact);
        return exact;
    }

    private boolean isNumbered(long number) {
        return numbered.isPresent() && numbered.get().has(number);
    }

    private int size(long number, int wanted) {
        return Math.min(wanted, isNumbered(number) ? numbered.get().rows() : Math.min(slots.slots(), MAX_PARTITIONS));
    }

    private void writeSlots(String tenant, long number, int count, int[] into) {
        if (isNumbered(number)) {
            numbered.get().shard(number, count, into);
        } else {
            sharder.shard(tenant, count, into);
        }
    }

    private int ofTenant(String tenant, long number, int size, int[] into) {
        int[] own = dedication.ownOf(tenant);
        if (own != null) {
            System.arraycopy(own, 0, into, 0, own.length);
            return own.length;
        }
        int target = size(number, size);
        if (target >= open.length) {
            System.arraycopy(open, 0, into, 0, open.length);
            return open.length;
        }
        writeSlots(tenant, number, target, into);
        int count = 0;
        for (int i = 0; i < target; i++) {
            int partition = slots.partition(into[i]);
            if (isOpen[partition] && !has(into, count, partition)) {
                into[count++] = partition;
            }
        }
        if (count < target) {
            fill(TenantHash.of(tenant, ~sharder.seed()), target, into, count);
        }
        return target;
    }

    /**
     * Adds open partitions. Draws over all slots, not the open ones, so that other tenants' dedications do not change
     * the draws. A linear walk finds the rest when few are left.
     */
    private void fill(long hash, int target, int[] into, int from) {
        long random = hash;
        int count = from;
        for (int tries = 0; tries < MAX_DRAWS && count < target; tries++) {
            random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
            int drawn = slots.partition(ShuffleSharder.below(random, slots.slots()));
            if (isOpen[drawn] && !has(into, count, drawn)) {
                into[count++] = drawn;
            }
        }
        int index = ShuffleSharder.below(hash, open.length);
        while (count < target) {
            if (!has(into, count, open[index])) {
                into[count++] = open[index];
            }
            index = index + 1 == open.length ? 0 : index + 1;
        }
    }

    /** Moves the partitions with the greatest hashes to the front. */
    static void selectFirst(long hash, int target, int[] into, int count) {
        for (int i = 0; i < target; i++) {
            int best = i;
            for (int j = i + 1; j < count; j++) {
                if (score(hash, into[j]) > score(hash, into[best])) {
                    best = j;
                }
            }
            int swapped = into[i];
            into[i] = into[best];
            into[best] = swapped;
        }
    }

    private static long score(long hash, int partition) {
        return TenantHash.mix(hash + (partition + 1) * TenantHash.GOLDEN_RATIO);
    }

    private static boolean has(int[] into, int count, int value) {
        for (int i = 0; i < count; i++) {
            if (into[i] == value) {
                return true;
            }
        }
        return false;
    }
}
