package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Scheduler of items that are named after their tenants, on a clock that is set. */
abstract class DispatchTimeline {
    static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.DEFAULTS);

    FairDispatch<String> dispatch;
    long nowMillis;

    void offer(Lane lane, String tenant, int count) {
        offer(lane, tenant, count, PolicySettings.DEFAULTS);
    }

    void offer(Lane lane, String tenant, int count, PolicySettings policy) {
        for (int i = 0; i < count; i++) {
            offer(dispatch, lane, tenant, TenantPolicy.of(policy), tenant, 0);
        }
    }

    /** Offers an item without workload and priority. */
    static <T> void offer(FairDispatch<T> dispatch, Lane lane, String tenant, TenantPolicy policy, T item, int moves) {
        dispatch.offer(lane, tenant, "", policy, item, moves, ItemLimits.NORMAL_PRIORITY, 0);
    }

    List<SlotLease<String>> takeAll(boolean liveLanesCaughtUp) {
        List<SlotLease<String>> starts = new ArrayList<>();
        Optional<SlotLease<String>> start;
        while ((start = dispatch.take(liveLanesCaughtUp, nanos())).isPresent()) {
            starts.add(start.get());
        }
        return starts;
    }

    /** Runs attempts one after the other and returns their tenants. */
    List<String> serve(int attempts, long millis) {
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < attempts; i++) {
            SlotLease<String> start = dispatch.take(true, nanos()).orElseThrow();
            tenants.add(start.queue.node.name);
            nowMillis += millis;
            dispatch.ended(start, nanos());
        }
        return tenants;
    }

    long nanos() {
        return nowMillis * 1_000_000;
    }
}
