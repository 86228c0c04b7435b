package io.spillway.kafka.view;

import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.RouterDemand;
import io.spillway.schema.WorkerSlots;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Recent demand at each process of one role, by tenant or limit, as published by these processes. Owner: the view's
 * thread; readers see only complete demands. A process whose last status was received {@value #ALIVE_MILLIS} ms ago or
 * earlier is not counted.
 *
 * @param <D> demand for one tenant or limit
 */
public final class Demands<D> extends InstanceStatuses<Map<String, D>> {
    /** Time for which a status counts, of all members of the topic. */
    static final long ALIVE_MILLIS = 3_000;

    private static final RecordCodec<RouterDemand> RATES = new RecordCodec<>(new RouterDemand());
    private static final RecordCodec<WorkerSlots> SLOTS = new RecordCodec<>(new WorkerSlots());

    private final Role role;
    private final BiFunction<String, Map<String, D>, byte[]> encoder;
    private final Function<byte[], Map<String, D>> decoder;

    /** Role of the processes that divide a tenant's rate or concurrency. All demands are in one topic, by member. */
    public enum Role {
        ROUTER("routers", ""),
        GATEWAY("gateways", "gateway/"),
        WORKER("workers", "worker/");

        private final String label;
        private final String prefix;

        Role(String label, String prefix) {
            this.label = label;
            this.prefix = prefix;
        }

        /** Returns the plural, for messages. */
        public String label() {
            return label;
        }

        /** Returns the name of an instance as a member of the role. One instance may have all roles. */
        public String member(String instance) {
            return prefix + instance;
        }

        /** No name of an instance contains a slash. */
        boolean has(String member) {
            return member.substring(0, member.indexOf('/') + 1).equals(prefix);
        }
    }

    private Demands(
            Role role, BiFunction<String, Map<String, D>, byte[]> encoder, Function<byte[], Map<String, D>> decoder,
            InstantSource clock) {
        super(ALIVE_MILLIS, clock);
        this.role = role;
        this.encoder = encoder;
        this.decoder = decoder;
    }

    /** Creates empty content of demands for tenants' rates, items a second; the clock measures the age of statuses. */
    public static Demands<Double> ofRates(Role role, InstantSource clock) {
        return new Demands<>(role, (member, perSecond) -> RATES.encode(new RouterDemand(member, perSecond)),
                Demands::rates, clock);
    }

    /** Creates empty content of the workers' demands for slots under concurrency limits. */
    public static Demands<Demand> ofSlots(InstantSource clock) {
        return new Demands<>(Role.WORKER, Demands::encodeSlots, Demands::slots, clock);
    }

    Role role() {
        return role;
    }

    /** Returns the encoded status of a member. */
    public byte[] encode(String member, Map<String, D> demand) {
        return encoder.apply(member, demand);
    }

    /** Returns the latest demands of all live members of the role. */
    public Map<String, Map<String, D>> ofAll() {
        return latestByInstance();
    }

    /** Returns the latest demands of all other live members of the role. */
    public List<Map<String, D>> ofOthers(String member) {
        return latest(other -> !other.equals(member));
    }

    @Override
    public void put(String key, byte[] value) {
        if (role.has(key)) {
            update(key, Map.copyOf(decoder.apply(value)), clock.millis());
        }
    }

    private static Map<String, Double> rates(byte[] value) {
        Map<?, ?> published = (Map<?, ?>) RATES.decode(value).get("perSecond");
        if (published.size() > ProportionalRates.MAX_PUBLISHED) {
            throw new IllegalArgumentException(
                    published.size() + " tenants; the limit is " + ProportionalRates.MAX_PUBLISHED);
        }
        Map<String, Double> perSecond = new HashMap<>();
        published.forEach((tenant, demand) -> {
            double number = (Double) demand;
            if (!(number >= 0 && number < 1e12)) {
                throw new IllegalArgumentException("invalid demand " + number);
            }
            perSecond.put(tenant.toString(), number);
        });
        return perSecond;
    }

    private static byte[] encodeSlots(String member, Map<String, Demand> demands) {
        Map<String, Integer> wanted = new HashMap<>();
        Map<String, Integer> claimed = new HashMap<>();
        demands.forEach((key, demand) -> {
            wanted.put(key, demand.wanted());
            claimed.put(key, demand.claimed());
        });
        return SLOTS.encode(new WorkerSlots(member, wanted, claimed));
    }

    private static Map<String, Demand> slots(byte[] value) {
        var slots = SLOTS.decode(value);
        Map<?, ?> wanted = (Map<?, ?>) slots.get("wanted");
        Map<?, ?> claimed = (Map<?, ?>) slots.get("claimed");
        if (wanted.size() > MaxMinSlots.MAX_PUBLISHED || !wanted.keySet().equals(claimed.keySet())) {
            throw new IllegalArgumentException(wanted.size() + " and " + claimed.size()
                    + " limits: must be the same ones, at most " + MaxMinSlots.MAX_PUBLISHED);
        }
        Map<String, Demand> demands = new HashMap<>();
        wanted.forEach((limit, items) ->
                demands.put(limit.toString(), new Demand((Integer) items, (Integer) claimed.get(limit))));
        return demands;
    }
}
