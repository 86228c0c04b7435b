package io.spillway.policy;

import java.util.Arrays;
import java.util.Optional;

/**
 * Which partitions of a lane a tenant's items may go to:
 *
 * <ol>
 *   <li>a tenant with partitions of its own: those;
 *   <li>a tenant with an assignment: the partitions of its slots;
 *   <li>any other: the partitions of the slots that {@link ShuffleSharder} draws for it.
 * </ol>
 *
 * <p>In 2 and 3 nobody gets a partition that is dedicated to somebody else. A slot on such a partition, or on one that another
 * slot of the shard is on already, is replaced by a shared partition drawn for this tenant. So each tenant always has as many
 * different partitions as its shard has slots, or all the shared ones when they are fewer; and when a partition becomes
 * dedicated only tenants that were on it move, one partition each.
 * A bound on the overlap of slots holds for partitions as far as each slot is a partition and none is dedicated.
 *
 * <p>A workload gets a part of its tenant's partitions: the {@code s} with the greatest hash of tenant, workload and partition
 * (rendezvous hashing: Thaler and Ravishankar 1998), so it moves no more than its tenant does.
 *
 * <p>Immutable; for any number of threads.
 *
 * @param sharder    of tenants without an assignment, over as many slots as there are
 * @param slots      the partition of each slot
 * @param dedication who has partitions of its own, of as many partitions
 */
public record Placement(ShuffleSharder sharder, VirtualSlots slots, Dedication dedication) {
    /** Most partitions of one tenant; who wants more has so many. */
    public static final int MAX_PARTITIONS = ShuffleSharder.MAX_SIZE;
    private static final int MAX_DRAWS = 1_024;

    /** @throws IllegalArgumentException when the three are not about the same slots and partitions */
    public Placement {
        if (sharder.slots() != slots.slots() || slots.partitions() != dedication.partitions()) {
            throw new IllegalArgumentException(sharder.slots() + " slots drawn from, " + slots.slots() + " in the table on "
                    + slots.partitions() + " partitions, " + dedication.partitions() + " partitions to dedicate: must agree");
        }
    }

    /**
     * The partitions of a tenant's workload.
     *
     * @param tenant       not null
     * @param workload     not null; empty for the whole of the tenant's partitions
     * @param size         slots that the tenant should have, 1 or more, counted as no more than there are
     * @param workloadSize partitions of one workload, 1 or more, counted as no more than its tenant has
     * @param assigned     the tenant's shard in the book, if it has one; then size does not count
     * @param into         {@link #MAX_PARTITIONS} long, for the partitions, in no order; owner: the calling thread
     * @return how many there are, 1 or more
     * @throws IllegalArgumentException when a size is below 1 or the assigned shard has a slot that is not there
     */
    public int partitions(
            String tenant, String workload, int size, int workloadSize, Optional<Shard> assigned, int[] into) {
        if (size < 1 || workloadSize < 1) {
            throw new IllegalArgumentException("size = " + size + ", workloadSize = " + workloadSize + ": must be 1 or more");
        }
        int count = ofTenant(tenant, size, assigned, into);
        if (workload.isEmpty() || workloadSize >= count) {
            return count;
        }
        selectFirst(TenantHash.of(tenant, workload, sharder.seed()), workloadSize, into, count);
        return workloadSize;
    }

    /** As above, for the whole of a tenant: in ascending order and in an array of their own. */
    public int[] partitions(String tenant, int size, Optional<Shard> assigned) {
        int[] into = new int[MAX_PARTITIONS];
        int[] exact = Arrays.copyOf(into, partitions(tenant, "", size, 1, assigned, into));
        Arrays.sort(exact);
        return exact;
    }

    private int ofTenant(String tenant, int size, Optional<Shard> assigned, int[] into) {
        int[] own = dedication.ownOf(tenant);
        if (own != null) {
            System.arraycopy(own, 0, into, 0, own.length);
            return own.length;
        }
        int wanted = assigned.isPresent() ? assigned.get().size() : Math.min(size, Math.min(slots.slots(), MAX_PARTITIONS));
        int[] shared = dedication.shared();
        if (wanted >= shared.length) {
            System.arraycopy(shared, 0, into, 0, shared.length);
            return shared.length;
        }
        if (assigned.isPresent()) {
            System.arraycopy(assigned.get().slots(), 0, into, 0, wanted);
        } else {
            sharder.shard(tenant, wanted, into);
        }
        int count = 0;
        for (int i = 0; i < wanted; i++) {
            int partition = partitionOf(into[i], tenant);
            if (!dedication.isDedicated(partition) && !has(into, count, partition)) {
                into[count++] = partition;
            }
        }
        if (count < wanted) {
            fill(TenantHash.of(tenant, ~sharder.seed()), wanted, into, count);
        }
        return wanted;
    }

    private int partitionOf(int slot, String tenant) {
        if (slot >= slots.slots()) {
            throw new IllegalArgumentException(
                    "slot " + slot + " of " + Printable.of(tenant) + ": there are " + slots.slots() + " slots");
        }
        return slots.partition(slot);
    }

    /**
     * Adds shared partitions. Drawn from all partitions and not from the shared ones, so that a draw stays what it was when
     * others become dedicated. A walk ends it where hardly any is left.
     */
    private void fill(long hash, int wanted, int[] into, int from) {
        long random = hash;
        int count = from;
        for (int tries = 0; tries < MAX_DRAWS && count < wanted; tries++) {
            random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
            int drawn = ShuffleSharder.below(random, slots.partitions());
            if (!dedication.isDedicated(drawn) && !has(into, count, drawn)) {
                into[count++] = drawn;
            }
        }
        int[] shared = dedication.shared();
        for (int at = ShuffleSharder.below(hash, shared.length); count < wanted; at = at + 1 == shared.length ? 0 : at + 1) {
            if (!has(into, count, shared[at])) {
                into[count++] = shared[at];
            }
        }
    }

    /** Brings the partitions with the greatest hashes to the front. */
    private static void selectFirst(long hash, int wanted, int[] into, int count) {
        for (int i = 0; i < wanted; i++) {
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

    private static boolean has(int[] into, int count, int partition) {
        for (int i = 0; i < count; i++) {
            if (into[i] == partition) {
                return true;
            }
        }
        return false;
    }
}
