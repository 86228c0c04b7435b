package io.spillway.core.sharding;

import io.spillway.core.item.Printable;
import io.spillway.core.item.TenantHash;
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
 * slot of the shard is on already, is replaced by that of another slot, drawn for this tenant. So each tenant always has as
 * many different partitions as its shard has slots, or all the open ones when they are fewer; and when a partition becomes
 * dedicated only tenants that were on it move, one partition each.
 * A bound on the overlap of slots holds for partitions as far as each slot is a partition and none is dedicated.
 *
 * <p>A workload gets a part of its tenant's partitions: the {@code s} with the greatest hash of tenant, workload and partition
 * (rendezvous hashing: Thaler and Ravishankar 1998), so it moves no more than its tenant does.
 *
 * <p>Open are the shared partitions that have a slot. If all slots are on dedicated partitions, all shared ones are open: items
 * must go somewhere.
 *
 * <p>Immutable; for any number of threads.
 */
public final class PartitionPlacement {
    /** Most partitions of one tenant; who wants more has so many. */
    public static final int MAX_PARTITIONS = ShuffleSharder.MAX_SIZE;
    private static final int MAX_DRAWS = 1_024;

    private final ShuffleSharder sharder;
    private final VirtualSlots slots;
    private final Dedication dedication;
    private final int[] open;
    private final boolean[] isOpen;

    /**
     * @param sharder    of tenants without an assignment, over as many slots as there are
     * @param slots      the partition of each slot
     * @param dedication who has partitions of its own, of as many partitions
     * @throws IllegalArgumentException when the three are not about the same slots and partitions
     */
    public PartitionPlacement(ShuffleSharder sharder, VirtualSlots slots, Dedication dedication) {
        if (sharder.slots() != slots.slots() || slots.partitions() != dedication.partitions()) {
            throw new IllegalArgumentException(sharder.slots() + " slots drawn from, " + slots.slots() + " in the table on "
                    + slots.partitions() + " partitions, " + dedication.partitions() + " partitions to dedicate: must agree");
        }
        this.sharder = sharder;
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
        if (wanted >= open.length) {
            System.arraycopy(open, 0, into, 0, open.length);
            return open.length;
        }
        if (assigned.isPresent()) {
            System.arraycopy(assigned.get().slots(), 0, into, 0, wanted);
        } else {
            sharder.shard(tenant, wanted, into);
        }
        int count = 0;
        for (int i = 0; i < wanted; i++) {
            int partition = partitionOf(into[i], tenant);
            if (isOpen[partition] && !has(into, count, partition)) {
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
     * Adds open partitions. Slots are drawn from all and not from the open ones, so that a draw stays what it was when others
     * become dedicated. A walk ends it where hardly any is left.
     */
    private void fill(long hash, int wanted, int[] into, int from) {
        long random = hash;
        int count = from;
        for (int tries = 0; tries < MAX_DRAWS && count < wanted; tries++) {
            random = TenantHash.mix(random + TenantHash.GOLDEN_RATIO);
            int drawn = slots.partition(ShuffleSharder.below(random, slots.slots()));
            if (isOpen[drawn] && !has(into, count, drawn)) {
                into[count++] = drawn;
            }
        }
        for (int at = ShuffleSharder.below(hash, open.length); count < wanted; at = at + 1 == open.length ? 0 : at + 1) {
            if (!has(into, count, open[at])) {
                into[count++] = open[at];
            }
        }
    }

    /** Brings the partitions with the greatest hashes to the front. */
    static void selectFirst(long hash, int wanted, int[] into, int count) {
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
