package io.spillway.kafka.view;

import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.WorkerSlots;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/**
 * Recent demand of each worker under concurrency limits, as published by these workers in the topic of
 * {@link Demands}. Owner: the view's thread; readers see only complete statuses. A worker whose last status was
 * received {@value Demands#ALIVE_MILLIS} ms ago or earlier is not counted.
 */
final class SlotStatuses extends InstanceStatuses<Map<String, Demand>> {
    private final RecordCodec<WorkerSlots> codec = new RecordCodec<>(new WorkerSlots());

    SlotStatuses(InstantSource clock) {
        super(Demands.ALIVE_MILLIS, clock);
    }

    byte[] encode(String member, Map<String, Demand> demands) {
        Map<String, Integer> wanted = new HashMap<>();
        Map<String, Integer> claimed = new HashMap<>();
        demands.forEach((key, demand) -> {
            wanted.put(key, demand.wanted());
            claimed.put(key, demand.claimed());
        });
        return codec.encode(new WorkerSlots(member, wanted, claimed));
    }

    /** Returns the latest demands of all live workers by member. */
    Map<String, Map<String, Demand>> ofAll() {
        return latestByInstance();
    }

    @Override
    public void put(String key, byte[] value) {
        if (!Demands.Role.WORKER.has(key)) {
            return;
        }
        var slots = codec.decode(value);
        Map<?, ?> wanted = (Map<?, ?>) slots.get("wanted");
        Map<?, ?> claimed = (Map<?, ?>) slots.get("claimed");
        if (wanted.size() > MaxMinSlots.MAX_PUBLISHED || !wanted.keySet().equals(claimed.keySet())) {
            throw new IllegalArgumentException(wanted.size() + " and " + claimed.size()
                    + " limits: must be the same ones, at most " + MaxMinSlots.MAX_PUBLISHED);
        }
        Map<String, Demand> demands = new HashMap<>();
        wanted.forEach((limit, items) ->
                demands.put(limit.toString(), new Demand((Integer) items, (Integer) claimed.get(limit))));
        update(key, Map.copyOf(demands), clock.millis());
    }
}
