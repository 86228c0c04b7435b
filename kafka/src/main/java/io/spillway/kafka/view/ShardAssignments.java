package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/**
 * Assigned shards. Owner: the view's thread; readers see only complete assignments.
 *
 * <p>A record that does not fit the configured slots is skipped, and its tenant has no assignment until another is
 * written.
 */
public final class ShardAssignments extends ViewContent<ShardAssignment> {
    private final int slots;

    /** Creates content without assignments; 0 slots reject every assignment. */
    public ShardAssignments(int slots) {
        this.slots = slots;
    }

    /** Creates content that stays empty, for queues that do not assign shards. */
    public static ShardAssignments none() {
        return new ShardAssignments(0);
    }

    /** Returns the shard of a tenant; empty if it has none. */
    public Optional<Shard> of(String tenant) {
        ShardAssignment assignment = entries.get(tenant);
        return assignment == null ? Optional.empty() : assignment.shard();
    }

    /** Returns the answer to the last request of a tenant, with a shard or without; empty if there is no answer yet. */
    public Optional<ShardAssignment> answer(String tenant) {
        return Optional.ofNullable(entries.get(tenant));
    }

    /** Returns a live view of all assignments, by tenant. */
    public Map<String, ShardAssignment> all() {
        return Collections.unmodifiableMap(entries);
    }

    @Override
    public void put(String key, byte[] value) {
        ShardAssignment assignment = ShardAssignment.decode(value);
        try {
            assignment.requireSlots(slots);
        } catch (IllegalArgumentException e) {
            // The previous assignment is obsolete.
            entries.remove(key);
            throw e;
        }
        entries.put(key, assignment);
    }
}
