package io.spillway.kafka.view;

import io.spillway.core.routing.Cancel;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Sweep;
import java.util.HashMap;
import java.util.Map;

/**
 * Sweeps and cancels of one tenant, by {@link SweepTarget#scope}. Immutable. Bounds: {@link Sweeps#MAX_WORKLOADS} and
 * {@link Sweeps#MAX_CANCELS}.
 *
 * @param cancelsIds whether a cancel is limited to one id
 */
record TenantMarks(Map<String, Sweep> sweeps, Map<String, Cancel> cancels, boolean cancelsIds) {
    static final TenantMarks NONE = new TenantMarks(Map.of(), Map.of());

    private TenantMarks(Map<String, Sweep> sweeps, Map<String, Cancel> cancels) {
        this(sweeps, cancels, cancels.keySet().stream().anyMatch(scope -> scope.indexOf('/') >= 0));
    }

    /** @throws IllegalArgumentException at the bound of sweeps or cancels */
    TenantMarks with(Sweeps.Mark mark) {
        String scope = mark.target().scope();
        // One more sweep, of the whole tenant.
        return mark.target().isCancel()
                ? new TenantMarks(sweeps, added(cancels, scope, mark.cancel(), Sweeps.MAX_CANCELS))
                : new TenantMarks(
                        added(sweeps, scope, mark.times(), Sweeps.MAX_WORKLOADS + 1), cancels, cancelsIds);
    }

    TenantMarks without(SweepTarget target) {
        return target.isCancel()
                ? new TenantMarks(sweeps, removed(cancels, target.scope()))
                : new TenantMarks(removed(sweeps, target.scope()), cancels, cancelsIds);
    }

    boolean isEmpty() {
        return sweeps.isEmpty() && cancels.isEmpty();
    }

    long coveredBeforeMillis(String workload, long marginMillis, long nowMillis) {
        long own = workload.isEmpty() ? ItemEnds.NO_SWEEP_MILLIS : of(workload, marginMillis, nowMillis);
        return Math.max(own, of("", marginMillis, nowMillis));
    }

    private long of(String scope, long marginMillis, long nowMillis) {
        Sweep sweep = sweeps.get(scope);
        return sweep == null ? ItemEnds.NO_SWEEP_MILLIS : sweep.coveredBeforeMillis(marginMillis, nowMillis);
    }

    boolean cancels(String scope, long enteredAtMillis, long nowMillis) {
        Cancel cancel = cancels.get(scope);
        return cancel != null && cancel.covers(enteredAtMillis, nowMillis);
    }

    private static <V> Map<String, V> added(Map<String, V> all, String scope, V value, int most) {
        if (!all.containsKey(scope) && all.size() >= most) {
            throw new IllegalArgumentException("the tenant has " + most + " already");
        }
        Map<String, V> copy = new HashMap<>(all);
        copy.put(scope, value);
        return Map.copyOf(copy);
    }

    private static <V> Map<String, V> removed(Map<String, V> all, String scope) {
        Map<String, V> copy = new HashMap<>(all);
        copy.remove(scope);
        return Map.copyOf(copy);
    }
}
