package io.spillway.core.scheduling;

import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Workloads of one tenant in one worker, the items without one as the workload with the empty name.
 *
 * <p>Owner: the {@link DispatchTenant}. Bound: {@link #MAX_OWN} workloads with queues of their own, and as many more as
 * a policy can name ({@link TenantPolicy#MAX_WORKLOADS}). A further one replaces those without items. While there are
 * none, it shares one of {@link #SHARED} queues with others, by its hash and without limits of its own.
 */
final class TenantWorkloads<T> {
    static final int MAX_OWN = 64;
    static final int SHARED = 16;

    private final Map<String, DispatchWorkload<T>> own = new HashMap<>();
    private final Map<Integer, DispatchWorkload<T>> shared = new HashMap<>();

    /** Returns the workload of a name. */
    DispatchWorkload<T> of(String name, TenantPolicy policy) {
        DispatchWorkload<T> known = own.get(name);
        if (known != null) {
            return known;
        }
        boolean hasLimits = policy.workloads().containsKey(name);
        int most = hasLimits ? MAX_OWN + TenantPolicy.MAX_WORKLOADS : MAX_OWN;
        if (own.size() >= most) {
            own.values().removeIf(workload -> !workload.isBusy());
        }
        int index = Math.floorMod(name.hashCode(), SHARED);
        DispatchWorkload<T> others = shared.get(index);
        // While items wait there, some may be of this workload, and would be overtaken.
        boolean isShared = own.size() >= most || others != null && others.isBusy() && !hasLimits;
        if (isShared && !name.isEmpty()) {
            return shared.computeIfAbsent(index, absent -> new DispatchWorkload<>("", true));
        }
        DispatchWorkload<T> created = new DispatchWorkload<>(name, false);
        own.put(name, created);
        return created;
    }

    /** Returns those with items and possibly others, in a new list. */
    List<DispatchWorkload<T>> all() {
        List<DispatchWorkload<T>> all = new ArrayList<>(own.values());
        all.addAll(shared.values());
        return all;
    }
}
