package io.spillway.router.route;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracker of shard requests: which tenants need one because they have no answer yet or changed their shard size. Until
 * the answer arrives a tenant uses its stateless shard.
 *
 * <p>Safe for any number of threads. A tenant's request is repeated after ten seconds without an answer and ten minutes
 * after a refusal. Bound: {@value #MAX_REQUESTED} tenants; at the bound all are discarded and some requests are
 * repeated, which has no effect.
 */
public final class ShardDemand {
    private static final int MAX_REQUESTED = 20_000;
    private static final long REPEAT_MILLIS = 10_000;
    private static final long REPEAT_AFTER_REFUSAL_MILLIS = 600_000;

    private final boolean isEnabled;
    private final PlacementView placements;
    private final ShardAssignments assignments;
    private final Map<String, Long> requestedAtMillis = new ConcurrentHashMap<>();

    /** Creates the tracker of one process, enabled where the configuration assigns shards. */
    public ShardDemand(boolean isEnabled, PlacementView placements, ShardAssignments assignments) {
        this.isEnabled = isEnabled;
        this.placements = placements;
        this.assignments = assignments;
    }

    /** Returns the shard size to request now, which then counts as requested; 0 for none. */
    int slotsToRequest(String tenant, TenantPolicy policy, long nowMillis) {
        if (!isEnabled) {
            return 0;
        }
        int wanted = placements.assignable(policy.shardSize());
        Optional<ShardAssignment> answer = assignments.answer(tenant);
        boolean isAnswered = answer.isPresent() && answer.get().asked() == wanted;
        if (isAnswered && answer.get().isMet()) {
            return 0;
        }
        Long requested = requestedAtMillis.get(tenant);
        long pauseMillis = isAnswered ? REPEAT_AFTER_REFUSAL_MILLIS : REPEAT_MILLIS;
        if (requested != null && nowMillis - requested < pauseMillis) {
            return 0;
        }
        if (requestedAtMillis.size() >= MAX_REQUESTED) {
            requestedAtMillis.clear();
        }
        requestedAtMillis.put(tenant, nowMillis);
        // A refusal that another instance has received counts as requested here.
        return requested == null && isAnswered ? 0 : wanted;
    }
}
