package io.spillway.router.route;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which tenants a shard is to be asked for: those that have no answer yet, and those that wanted another size. Until there is
 * an answer they have their stateless shard.
 *
 * <p>For any number of threads. A tenant is asked for once in ten seconds, which is long enough for an answer, and once in ten
 * minutes after a refusal. Bound: {@value #MAX_ASKED} tenants are remembered as asked for; then all are forgotten, and
 * some are asked for twice, which does nothing.
 */
public final class ShardDemand {
    private static final int MAX_ASKED = 20_000;
    private static final long ASK_AGAIN_MILLIS = 10_000;
    private static final long ASK_AFTER_REFUSAL_MILLIS = 600_000;

    private final boolean isWanted;
    private final PlacementView placements;
    private final ShardAssignments assignments;
    private final Map<String, Long> askedAtMillis = new ConcurrentHashMap<>();

    /**
     * Makes one for a process.
     *
     * @param isWanted whether shards are assigned at all
     */
    public ShardDemand(boolean isWanted, PlacementView placements, ShardAssignments assignments) {
        this.isWanted = isWanted;
        this.placements = placements;
        this.assignments = assignments;
    }

    /** The number of slots to ask for now, which is then as good as done; 0 for nothing. */
    int slotsToAskFor(String tenant, TenantPolicy policy, long nowMillis) {
        if (!isWanted) {
            return 0;
        }
        int wanted = placements.assignable(policy.shardSize());
        Optional<ShardAssignment> answer = assignments.answer(tenant);
        boolean isAnswered = answer.isPresent() && answer.get().asked() == wanted;
        if (isAnswered && answer.get().isMet()) {
            return 0;
        }
        Long asked = askedAtMillis.get(tenant);
        long pauseMillis = isAnswered ? ASK_AFTER_REFUSAL_MILLIS : ASK_AGAIN_MILLIS;
        if (asked != null && nowMillis - asked < pauseMillis) {
            return 0;
        }
        if (askedAtMillis.size() >= MAX_ASKED) {
            askedAtMillis.clear();
        }
        askedAtMillis.put(tenant, nowMillis);
        // A refusal that another instance has just been given counts as asked for here.
        return asked == null && isAnswered ? 0 : wanted;
    }
}
