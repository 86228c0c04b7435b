package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shards that are assigned, as every instance knows them. Owner: the view's thread; readers see whole assignments.
 *
 * <p>A record that does not fit the configured slots is passed over: its tenant has no assignment until another is written.
 */
public final class ShardAssignments extends MapContent<ShardAssignment> {
    private final ShardAssignmentCodec codec = new ShardAssignmentCodec();
    private final int slots;

    /**
     * Knows of no assignment yet.
     *
     * @param slots how many there are; with 0 no assignment fits, so it stays empty
     */
    public ShardAssignments(int slots) {
        super(new ConcurrentHashMap<>());
        this.slots = slots;
    }

    /** Where shards are not assigned: always empty. */
    public static ShardAssignments none() {
        return new ShardAssignments(0);
    }

    /** The shard of a tenant, empty when it has none. */
    public Optional<Shard> of(String tenant) {
        ShardAssignment assignment = entries.get(tenant);
        return assignment == null ? Optional.empty() : assignment.shard();
    }

    /** What was answered for a tenant that asked for so many slots: a shard, or that there is none; empty when nothing yet. */
    public Optional<ShardAssignment> answer(String tenant) {
        return Optional.ofNullable(entries.get(tenant));
    }

    /** All of them, by tenant; changes while it is read. */
    public Map<String, ShardAssignment> all() {
        return Collections.unmodifiableMap(entries);
    }

    @Override
    public void put(String key, byte[] value) {
        ShardAssignment assignment = codec.decode(value);
        // Whatever the tenant had before is not what it has now.
        entries.remove(key);
        assignment.requireSlots(slots);
        entries.put(key, assignment);
    }
}
