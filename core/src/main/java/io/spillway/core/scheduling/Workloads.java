package io.spillway.core.scheduling;

import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Nodes of a tenant's workloads, which include that of the items without one.
 *
 * <p>Owner: the tenant's {@link FairNode}. Bound: {@link #MAX_OWN} workloads with nodes of their own, as many more as a
 * policy can name ({@link TenantPolicy#MAX_WORKLOADS}), and {@link #MAX_DELIVERIES} more that are deliveries to
 * subscriptions. A further one replaces those without items. While there are none, it shares one of {@link #SHARED}
 * nodes with others, by its hash and without limits of its own. But a delivery to a subscription with limits always has
 * its own one: of these there are at most as many as items wait here, and those that owe their rate its time.
 */
final class Workloads<T> {
    static final int MAX_OWN = 64;
    static final int SHARED = 16;
    /** A quarter of the items that are read ahead: no other subscriber is to feel one with slow attempts. */
    static final int MAX_DELIVERIES = 1_000;

    private final FairNode<T> tenant;
    private final Map<String, FairNode<T>> own = new HashMap<>();
    /** By number. */
    private final Map<Integer, FairNode<T>> shared = new HashMap<>();

    Workloads(FairNode<T> tenant) {
        this.tenant = tenant;
    }

    /** Returns the nodes, which include all with items, in a new list. */
    List<FairNode<T>> all() {
        List<FairNode<T>> all = new ArrayList<>(own.values());
        all.addAll(shared.values());
        return all;
    }

    /** Returns the node in which items of a workload wait. */
    FairNode<T> of(String workload, TenantPolicy policy) {
        FairNode<T> known = own.get(workload);
        if (known != null) {
            return known;
        }
        boolean isDelivery = Subscription.isDelivery(workload);
        boolean hasLimits = policy.workloads().containsKey(workload)
                || isDelivery && policy.destination().isPresent();
        int most = MAX_OWN + (isDelivery ? MAX_DELIVERIES : hasLimits ? TenantPolicy.MAX_WORKLOADS : 0);
        if (own.size() >= most) {
            own.values().removeIf(child -> !child.isBusy() && !child.isInPacing);
        }
        int index = Math.floorMod(workload.hashCode(), SHARED);
        FairNode<T> others = shared.get(index);
        // While items wait there, some may be of this workload, and would be overtaken.
        boolean isCrowded = own.size() >= most || others != null && others.isBusy() && !hasLimits;
        if (isCrowded && !workload.isEmpty() && !(isDelivery && hasLimits)) {
            return shared.computeIfAbsent(index, absent -> new FairNode<>("", tenant, true));
        }
        FairNode<T> child = new FairNode<>(workload, tenant, false);
        own.put(workload, child);
        return child;
    }
}
