package io.spillway.router.route;

import io.spillway.core.sharding.PolynomialShards;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignments;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracker of shard requests: which tenants need one because they have no number yet. Until the answer arrives a tenant
 * uses its stateless shard.
 *
 * <p>Safe for any number of threads. A tenant's request is repeated after ten seconds without an answer and ten minutes
 * after a refusal. Bound: {@value #MAX_REQUESTED} tenants; at the bound all are discarded and some requests are
 * repeated, which has no effect.
 */
public final class ShardDemand {
    private static final int MAX_REQUESTED = 20_000;
    private static final long REPEAT_MILLIS = 10_000;
    private static final long REPEAT_AFTER_REFUSAL_MILLIS = 600_000;

    private final PlacementView placements;
    private final ShardAssignments assignments;
    private final Map<String, Long> requestedAtMillis = new ConcurrentHashMap<>();

    /** Creates the tracker of one process. */
    public ShardDemand(PlacementView placements, ShardAssignments assignments) {
        this.placements = placements;
        this.assignments = assignments;
    }

    /** Returns whether to request a shard for the tenant now, which then counts as requested. */
    boolean isToRequest(String tenant, long nowMillis) {
        if (placements.capacity() == 0 || placements.isAssigned(tenant)) {
            return false;
        }
        boolean isRefused = assignments.contains(tenant) && assignments.numberOf(tenant) == PolynomialShards.NONE;
        Long requested = requestedAtMillis.get(tenant);
        long pauseMillis = isRefused ? REPEAT_AFTER_REFUSAL_MILLIS : REPEAT_MILLIS;
        if (requested != null && nowMillis - requested < pauseMillis) {
            return false;
        }
        if (requestedAtMillis.size() >= MAX_REQUESTED) {
            requestedAtMillis.clear();
        }
        requestedAtMillis.put(tenant, nowMillis);
        // A refusal that another instance has received counts as requested here.
        return requested != null || !isRefused;
    }
}
