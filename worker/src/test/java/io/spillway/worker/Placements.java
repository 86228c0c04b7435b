package io.spillway.worker;

import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.util.Map;
import java.util.stream.IntStream;

/** Records of moves of a worker without others, for which each tenant may use every partition. */
final class Placements {
    private Placements() {}

    static LaneRecords records(Topics topics) {
        return records(topics, topics.partitions());
    }

    static LaneRecords records(Topics topics, int partitions) {
        return records(topics, new LoweredLimits(Map::of), partitions);
    }

    static LaneRecords records(Topics topics, LoweredLimits limits, int partitions) {
        return records(topics, limits, partitions, new TenantPolicies(PolicySettings.NONE_SET));
    }

    static LaneRecords records(
            Topics topics, LoweredLimits limits, int partitions, TenantPolicies policies) {
        int[] all = IntStream.range(0, partitions).toArray();
        ItemPlacement.Shards shards = new ItemPlacement.Shards() {
            @Override
            public int ofTenant(TenantContext tenant, String workload, int[] into) {
                System.arraycopy(all, 0, into, 0, all.length);
                return all.length;
            }

            @Override
            public int[] ofExcess(TenantContext tenant) {
                return all;
            }
        };
        return new LaneRecords(topics, limits, new ItemPlacement(new Fleet(ProtectionSettings.OFF, all.length), shards),
                policies, () -> Instant.ofEpochMilli(1_800_000_000_000L));
    }
}
