package io.spillway.kafka.view;

import io.spillway.core.routing.RoutingRules;
import io.spillway.core.routing.Sweep;
import java.util.Optional;

/** Latest completed sweep of each tenant. Owner: the view's thread; readers see only complete sweeps. */
public final class Sweeps extends MapContent<Sweep> {
    private final SweepCodec codec = new SweepCodec();

    /** Returns the time before which items of a tenant are covered, or {@link RoutingRules#NO_SWEEP_MILLIS}. */
    public long coveredBeforeMillis(String tenant, long nowMillis) {
        return Math.max(startOf(tenant, nowMillis), startOf(ALL_TENANTS, nowMillis));
    }

    @Override
    public void put(String key, byte[] value) {
        Optional<Sweep> completed = codec.decode(value);
        // A running sweep covers nothing yet, and one that started earlier adds nothing.
        completed.ifPresent(sweep -> entries.merge(
                key, sweep, (a, b) -> b.startedAtMillis() >= a.startedAtMillis() ? b : a));
    }

    private long startOf(String key, long nowMillis) {
        Sweep sweep = entries.get(key);
        return sweep == null ? RoutingRules.NO_SWEEP_MILLIS : sweep.coveredBeforeMillis(nowMillis);
    }
}
