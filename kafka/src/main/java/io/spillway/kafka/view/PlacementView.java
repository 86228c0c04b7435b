package io.spillway.kafka.view;

import io.spillway.core.item.Printable;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShardRegistry;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Placement in force: the configured slots, the dedicated partitions according to the current policies, and the
 * assigned shards. Thread-safe; a change of the policies applies from the next item.
 */
public final class PlacementView implements ItemPlacement.Shards {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementView.class);

    private final ShardSettings settings;
    private final int partitions;
    private final VirtualSlots slots;
    private final ShuffleSharder sharder;
    private final TenantPolicies policies;
    private final ShardAssignments assignments;
    private volatile InForce inForce;

    /** Creates the placement of a queue; the assignments are empty if none are configured. */
    public PlacementView(QueueSettings queue, TenantPolicies policies, ShardAssignments assignments) {
        this.settings = queue.shards();
        this.partitions = queue.topics().partitions();
        this.slots = settings.virtualSlots(partitions);
        this.sharder = new ShuffleSharder(slots.slots(), settings.seed());
        this.policies = policies;
        this.assignments = assignments;
        this.inForce = plan(policies.dedicated());
    }

    /**
     * Selects the partitions that an item may go to. Allocates nothing.
     *
     * @param tenant   not null
     * @param workload not null, may be empty
     * @param policy   the tenant's, not null
     * @param into     array of length {@link PartitionPlacement#MAX_PARTITIONS} for the result, unordered
     * @return number of partitions, 1 or more
     */
    public int partitions(String tenant, String workload, TenantPolicy policy, int[] into) {
        return now().placement().partitions(
                tenant, workload, policy.shardSize(), settings.workloadShare(), assignments.of(tenant), into);
    }

    @Override
    public int ofTenant(TenantContext tenant, String workload, int[] into) {
        return partitions(tenant.name(), workload, tenant.policy(), into);
    }

    @Override
    public int[] ofExcess(TenantContext tenant) {
        return now().placement().excessPartitions(tenant.name());
    }

    /** Returns all partitions of a tenant in ascending order, in a new array. */
    public int[] partitions(String tenant, TenantPolicy policy) {
        return now().placement().partitions(tenant, policy.shardSize(), assignments.of(tenant));
    }

    /** Returns the assigned or drawn slots of the tenant in ascending order, regardless of dedicated partitions. */
    public int[] slots(String tenant, TenantPolicy policy) {
        return assignments.of(tenant).map(Shard::toArray).orElseGet(() -> sharder.shard(
                tenant, Math.min(policy.shardSize(), Math.min(slots.slots(), ShuffleSharder.MAX_SIZE))));
    }

    /** Returns which tenants have dedicated partitions now, and which requests for them cannot be met. */
    public DedicationPlan dedications() {
        return now().plan();
    }

    /** Returns the number of slots to assign for a shard size, limited by {@link #largestAssignable}. */
    public int assignable(int shardSize) {
        return Math.min(shardSize, largestAssignable());
    }

    /** Returns the limit of slots per assignment: at most one for each partition. */
    public int largestAssignable() {
        return Math.min(Shard.MAX_SIZE, partitions);
    }

    /** Creates an empty registry that never assigns two slots of one partition to a tenant. */
    public ShardRegistry emptyRegistry() {
        int overlap = settings.overlap().orElseThrow();
        return slots.slots() > partitions
                ? new ShardRegistry(slots, overlap)
                : new ShardRegistry(slots.slots(), overlap);
    }

    private InForce now() {
        InForce now = inForce;
        return now.wanted() == policies.dedicated() ? now : renew();
    }

    private synchronized InForce renew() {
        SortedMap<String, Integer> wanted = policies.dedicated();
        if (inForce.wanted() != wanted) {
            inForce = plan(wanted);
            inForce.plan().refused().values().forEach(
                    detail -> LOG.warn("A tenant stays on shared partitions: {}", Printable.of(detail)));
        }
        return inForce;
    }

    private InForce plan(SortedMap<String, Integer> wanted) {
        DedicationPlan plan =
                DedicationPlan.of(wanted, partitions, DedicationPlan.leastShared(partitions), settings.seed());
        return new InForce(wanted, plan, new PartitionPlacement(sharder, slots, plan.dedication()));
    }

    private record InForce(SortedMap<String, Integer> wanted, DedicationPlan plan, PartitionPlacement placement) {}
}
