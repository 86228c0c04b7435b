package io.spillway.kafka.view;

import io.spillway.core.ratelimit.RateShares;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.RouterDemand;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * What each router has been asked for lately, as it told the others. Owner: the view's thread; readers see whole demands.
 * Who has told nothing for {@value #ALIVE_MILLIS} ms since it was heard is not counted.
 */
public final class Demands extends InstanceStatuses<Map<String, Double>> {
    private static final long ALIVE_MILLIS = 3_000;

    private final RecordCodec<RouterDemand> codec = new RecordCodec<>(new RouterDemand());
    private final InstantSource clock;

    /**
     * Has heard of nobody.
     *
     * @param clock for how long ago somebody was heard
     */
    public Demands(InstantSource clock) {
        super(ALIVE_MILLIS);
        this.clock = clock;
    }

    /** The bytes that an instance tells. */
    public byte[] encode(String instance, Map<String, Double> perSecond) {
        return codec.encode(new RouterDemand(instance, perSecond));
    }

    /** What the other instances that live have told last. */
    public List<Map<String, Double>> ofOthers(String instance) {
        return said(clock.millis(), speaker -> !speaker.equals(instance));
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        Map<?, ?> told = (Map<?, ?>) record.get("perSecond");
        if (told.size() > RateShares.MAX_TOLD) {
            throw new IllegalArgumentException(told.size() + " tenants: must be at most " + RateShares.MAX_TOLD);
        }
        Map<String, Double> perSecond = new HashMap<>();
        told.forEach((tenant, demand) -> {
            double number = (Double) demand;
            if (!(number >= 0 && number < 1e12)) {
                throw new IllegalArgumentException("a demand of " + number);
            }
            perSecond.put(tenant.toString(), number);
        });
        hear(key, Map.copyOf(perSecond), clock.millis());
    }
}
