package io.spillway.kafka.view;

import io.spillway.core.item.PoolName;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import java.util.Arrays;
import java.util.Optional;
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
    private final Optional<PolynomialShards> numbered;
    private final TenantPolicies policies;
    private final ShardAssignments assignments;
    private volatile InForce inForce;

    /** Creates the placement of a queue; the assignments are empty if none are configured. */
    public PlacementView(QueueSettings queue, TenantPolicies policies, ShardAssignments assignments) {
        this.settings = queue.shards();
        this.partitions = queue.topics().partitions();
        this.slots = settings.virtualSlots(partitions);
        this.sharder = new ShuffleSharder(slots.slots(), settings.seed());
        this.numbered = settings.numbered(partitions);
        this.policies = policies;
        this.assignments = assignments;
        this.inForce = plan(policies.dedicated());
    }

    @Override
    public int ofTenant(TenantContext tenant, String workload, int[] into) {
        return now().placement().partitions(tenant.name(), assignments.numberOf(tenant.name()), workload,
                tenant.policy().shardSize(), settings.workloadShare(), into);
    }

    @Override
    public int[] ofExcess(TenantContext tenant) {
        return now().placement().excessPartitions(tenant.name());
    }

    /** Returns all partitions of a tenant in ascending order, in a new array. */
    public int[] partitions(String tenant, TenantPolicy policy) {
        return now().placement().partitions(tenant, assignments.numberOf(tenant), policy.shardSize());
    }

    /** Returns the assigned or drawn slots of the tenant in ascending order, regardless of dedicated partitions. */
    public int[] slots(String tenant, TenantPolicy policy) {
        return now().placement().slots(tenant, assignments.numberOf(tenant), policy.shardSize());
    }

    /** Returns the pool of workers that handles a partition of any lane. */
    public String poolOf(int partition) {
        return now().poolOf(partition);
    }

    /**
     * Returns whether a worker must give an item to another partition: that of its tenant's pool, or, if the tenant's
     * backlog moves, one of those that the tenant may use.
     *
     * @param pool of the worker
     */
    public boolean isMisplaced(String tenant, TenantPolicy policy, int partition, String pool) {
        InForce now = now();
        boolean isPlain = pool.equals(PoolName.SHARED) && now.plan().pools().isEmpty();
        if (isPlain && !policy.movesBacklog()) {
            return false;
        }
        int[] own = now.placement().excessPartitions(tenant);
        return !now.poolOf(own[0]).equals(pool)
                || policy.movesBacklog() && Arrays.binarySearch(own, partition) < 0;
    }

    /** Returns which tenants have dedicated partitions now, and which requests for them cannot be met. */
    public DedicationPlan dedications() {
        return now().plan();
    }

    /** Returns how many tenants can have a number, each below this; 0 if shards are not assigned. */
    public long capacity() {
        return numbered.map(PolynomialShards::capacity).orElse(0L);
    }

    /** Returns whether a tenant has an assigned shard. */
    public boolean isAssigned(String tenant) {
        return numbered.isPresent() && numbered.get().has(assignments.numberOf(tenant));
    }

    private InForce now() {
        InForce now = inForce;
        return now.wanted() == policies.dedicated() ? now : renew();
    }

    private synchronized InForce renew() {
        SortedMap<String, DedicationPlan.Request> wanted = policies.dedicated();
        if (inForce.wanted() != wanted) {
            inForce = plan(wanted);
            inForce.plan().refused().values().forEach(
                    detail -> LOG.warn("A tenant stays on shared partitions: {}", Printable.of(detail)));
        }
        return inForce;
    }

    private InForce plan(SortedMap<String, DedicationPlan.Request> wanted) {
        DedicationPlan plan =
                DedicationPlan.of(wanted, partitions, DedicationPlan.leastShared(partitions), settings.seed());
        return new InForce(wanted, plan, new PartitionPlacement(sharder, numbered, slots, plan.dedication()));
    }

    private record InForce(
            SortedMap<String, DedicationPlan.Request> wanted, DedicationPlan plan, PartitionPlacement placement) {
        String poolOf(int partition) {
            return plan.pools().getOrDefault(partition, PoolName.SHARED);
        }
    }
}
