package io.spillway.kafka.view;

import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.RouterDemand;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Recent demand at each process of one role, as published by these processes. Owner: the view's thread; readers see
 * only complete demands. A process whose last status was received {@value #ALIVE_MILLIS} ms ago or earlier is not
 * counted.
 */
public final class Demands extends InstanceStatuses<Map<String, Double>> {
    /** Time for which a status counts, of all members of the topic. */
    static final long ALIVE_MILLIS = 3_000;

    private final Role role;
    private final RecordCodec<RouterDemand> codec = new RecordCodec<>(new RouterDemand());

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

    /** Creates empty content for one role; the clock measures the age of statuses. */
    public Demands(Role role, InstantSource clock) {
        super(ALIVE_MILLIS, clock);
        this.role = role;
    }

    /** Returns the encoded status of a member. */
    public byte[] encode(String member, Map<String, Double> perSecond) {
        return codec.encode(new RouterDemand(member, perSecond));
    }

    /** Returns the latest demands of all other live members of the role. */
    public List<Map<String, Double>> ofOthers(String member) {
        return latest(other -> !other.equals(member));
    }

    @Override
    public void put(String key, byte[] value) {
        if (!role.has(key)) {
            return;
        }
        Map<?, ?> published = (Map<?, ?>) codec.decode(value).get("perSecond");
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
        update(key, Map.copyOf(perSecond), clock.millis());
    }
}
