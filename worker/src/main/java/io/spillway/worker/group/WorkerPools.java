package io.spillway.worker.group;

import io.spillway.core.item.PoolName;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;

/**
 * Pools of the partitions as a worker's {@link SlotAssignor} and its poll thread know them: if this member leads its
 * group and the pools have changed since it assigned partitions, the group must assign them again.
 *
 * <p>Owner: the poll thread, on which the client calls the assignor.
 */
public final class WorkerPools {
    private final String own;
    private final Supplier<SortedMap<Integer, String>> ofPartitions;
    /** By which this member has assigned partitions, or will; empty if it does not lead the group. */
    private Optional<SortedMap<Integer, String>> latest = Optional.empty();
    private boolean isAssigning;

    /**
     * Creates the pools of a worker.
     *
     * @param own          pool of this worker
     * @param ofPartitions pools in force, as {@link io.spillway.core.sharding.DedicationPlan#pools}
     */
    public WorkerPools(String own, Supplier<SortedMap<Integer, String>> ofPartitions) {
        this.own = own;
        this.ofPartitions = ofPartitions;
    }

    String own() {
        return own;
    }

    /** Returns whether the partitions with this number belong to the pool of this worker; for any thread. */
    public boolean handles(int partition) {
        return ofPartitions.get().getOrDefault(partition, PoolName.SHARED).equals(own);
    }

    /** Returns the pools in force, by which this member, as the leader, assigns partitions now. */
    SortedMap<Integer, String> assign() {
        SortedMap<Integer, String> now = ofPartitions.get();
        latest = Optional.of(now);
        isAssigning = true;
        return now;
    }

    /** Ends a round. */
    void assigned() {
        latest = isAssigning ? latest : Optional.empty();
        isAssigning = false;
    }

    /** Returns once for each change whether this member must let its group assign the partitions again. */
    public boolean takeChange() {
        SortedMap<Integer, String> now = ofPartitions.get();
        boolean hasChanged = latest.isPresent() && !latest.get().equals(now);
        if (hasChanged) {
            latest = Optional.of(now);
        }
        return hasChanged;
    }
}
