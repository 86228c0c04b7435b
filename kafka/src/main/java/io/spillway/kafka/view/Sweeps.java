package io.spillway.kafka.view;

import io.spillway.core.routing.RoutingRules;
import io.spillway.core.routing.Sweep;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The latest completed sweep of every tenant. Owner: the view's thread; readers see whole sweeps. */
public final class Sweeps extends MapContent<Sweep> {
    private final SweepCodec codec = new SweepCodec();

    /** Starts without any sweep. */
    public Sweeps() {
        super(new ConcurrentHashMap<>());
    }

    /**
     * Before when a tenant's items are covered: the later of its own latest sweep and that of all tenants.
     *
     * @return epoch milliseconds, or {@link RoutingRules#NO_SWEEP_MILLIS}
     */
    public long coveredBeforeMillis(String tenant, long nowMillis) {
        return Math.max(startOf(tenant, nowMillis), startOf(ALL_TENANTS, nowMillis));
    }

    @Override
    public void put(String key, byte[] value) {
        Optional<Sweep> completed = codec.decode(value);
        // A sweep that runs covers nothing yet, and one that started earlier covers nothing more.
        completed.ifPresent(sweep -> entries.merge(
                key, sweep, (a, b) -> b.startedAtMillis() >= a.startedAtMillis() ? b : a));
    }

    private long startOf(String key, long nowMillis) {
        Sweep sweep = entries.get(key);
        return sweep == null ? RoutingRules.NO_SWEEP_MILLIS : sweep.coveredBeforeMillis(nowMillis);
    }
}
