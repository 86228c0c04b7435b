package io.spillway.kafka.view;

import io.spillway.core.sharding.PolynomialShards;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/** Numbers of tenants with an assigned shard. Owner: the view's thread; readers see only complete assignments. */
public final class ShardAssignments extends ViewContent<ShardAssignment> {
    /** Returns the number of a tenant, or {@link PolynomialShards#NONE}. */
    public long numberOf(String tenant) {
        ShardAssignment assignment = entries.get(tenant);
        return assignment == null ? PolynomialShards.NONE : assignment.number();
    }

    /** Returns the answer to the last request of a tenant, also a refusal; empty if there is no answer yet. */
    public Optional<ShardAssignment> answer(String tenant) {
        return Optional.ofNullable(entries.get(tenant));
    }

    /** Returns a live view of all assignments, by tenant. */
    public Map<String, ShardAssignment> all() {
        return Collections.unmodifiableMap(entries);
    }

    @Override
    public void put(String key, byte[] value) {
        entries.put(key, ShardAssignment.decode(value));
    }
}
