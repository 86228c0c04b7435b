package io.spillway.kafka.view;

import io.spillway.core.ratelimit.RateShares;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.RouterDemand;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Recent demand at each router, as published by the routers. Owner: the view's thread; readers see only complete
 * demands. A router whose last status was received {@value #ALIVE_MILLIS} ms ago or earlier is not counted.
 */
public final class Demands extends InstanceStatuses<Map<String, Double>> {
    private static final long ALIVE_MILLIS = 3_000;

    private final RecordCodec<RouterDemand> codec = new RecordCodec<>(new RouterDemand());

    /** Creates empty content; the clock measures the age of statuses. */
    public Demands(InstantSource clock) {
        super(ALIVE_MILLIS, clock);
    }

    /** Returns the encoded status of an instance. */
    public byte[] encode(String instance, Map<String, Double> perSecond) {
        return codec.encode(new RouterDemand(instance, perSecond));
    }

    /** Returns the latest demands of all other live instances. */
    public List<Map<String, Double>> ofOthers(String instance) {
        return latest(other -> !other.equals(instance));
    }

    @Override
    public void put(String key, byte[] value) {
        Map<?, ?> published = (Map<?, ?>) codec.decode(value).get("perSecond");
        if (published.size() > RateShares.MAX_PUBLISHED) {
            throw new IllegalArgumentException(published.size() + " tenants; the limit is " + RateShares.MAX_PUBLISHED);
        }
        Map<String, Double> perSecond = new HashMap<>();
        published.forEach((tenant, demand) -> {
            double number = (Double) demand;
            if (!(number >= 0 && number < 1e12)) {
                throw new IllegalArgumentException("invalid demand " + number);
            }
            perSecond.put(tenant.toString(), number);
        });
        update(key, Map.copyOf(perSecond), clock.millis());
    }
}
