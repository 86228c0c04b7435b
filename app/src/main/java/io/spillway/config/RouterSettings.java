package io.spillway.config;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;

/** Settings of the router, the Kafka Streams application that routes each item to a lane. */
public record RouterSettings(
        @Setting(key = "router.commitInterval", defaultValue = "100ms", allowed = "1ms to 1m",
                doc = "Longest time until a routed item is visible in its lane. Commits are more frequent as long as"
                        + " they are cheap and an item waits for them.")
                Duration commitInterval,
        @Setting(key = "router.threads", defaultValue = "2", allowed = "1 to 256",
                doc = "Number of stream threads in this process.") int threads,
        @Setting(key = "router.stateDir", defaultNote = "in the data directory",
                doc = "Directory where Kafka Streams keeps its state.") String stateDir,
        @Setting(key = "router.maxTenants", defaultValue = "1000000", allowed = "1 to 10000000",
                doc = "Maximum number of tenants whose rate this process measures at the same time, and of entries in"
                        + " each of its views: policies, balances, keys, sweeps. Set it above the number of tenants"
                        + " in all processes.") int maxTenants,
        @Setting(key = "router.forgetTenantsAfter", defaultValue = "7d", allowed = "1m to 3650d",
                doc = "Time after which the balance of a tenant whose items are all done or dropped is forgotten: it"
                        + " becomes part of a sum. Must be the same for all routers.") Duration forgetTenantsAfter,
        @Setting(key = "router.maxHeaderBytes", defaultValue = "65536", allowed = "1024 to 104857600", unit = "bytes",
                doc = "Largest total of the names and values of an ingress record's headers. A record with more is a"
                        + " dead letter with the reason too-large.") int maxHeaderBytes,
        @Setting(key = "router.protection.multiple", defaultValue = "4",
                allowed = "0, or " + ProtectionSettings.LEAST_MULTIPLE + " to " + ProtectionSettings.MOST_MULTIPLE,
                doc = "While hot is behind at a worker, a tenant may have this multiple of what the others usually have"
                        + " there, or its fair share if that is more. The limit falls as the backlog grows, and the"
                        + " excess goes to overflow. 0 turns the protection off.")
                        double protectionMultiple,
        @Setting(key = "router.protection.target", defaultValue = "200ms", allowed = "10ms to 1m",
                doc = "Hot is behind at a worker when its items would wait for more than half of this time. With short"
                        + " attempts, hot holds about twice this time of work at most.")
                Duration protectionTarget,
        IsolationSettings isolation,
        @Setting(key = SourceSettings.KEY, allowed = "settings of sources, each below its name: docs/sources.md",
                doc = "Existing topics whose records become items.") Map<String, String> sources,
        @Setting(key = "router.properties",
                allowed = "properties of Kafka Streams and, with the prefixes of Kafka Streams, of its clients, except"
                        + " those that break a guarantee",
                doc = "Properties passed to Kafka Streams.") Map<String, String> properties) {
    public RouterSettings {
        sources = Map.copyOf(sources);
        SourceSettings.parse(sources);
        properties = Map.copyOf(properties);
        AllowedRange.check(RouterSettings.class,
                commitInterval, threads, stateDir, maxTenants, forgetTenantsAfter, maxHeaderBytes, protectionMultiple,
                protectionTarget, isolation, sources, properties);
        if (!stateDir.equals(stateDir.strip())) {
            throw new InvalidSettingException("router.stateDir", stateDir,
                    "must not begin or end with white space, which Kafka Streams cuts off");
        }
    }

    /** Returns the limit of {@link #maxHeaderBytes} for a delayed item, which has headers of Spillway as well. */
    public int maxDelayedHeaderBytes() {
        return maxHeaderBytes + Topics.LANE_HEADROOM_BYTES / 2;
    }

    /** Returns the sources by name. */
    public SortedMap<String, SourceSettings> sourcesByName() {
        return SourceSettings.parse(sources);
    }

    /** Returns the overload protection for tenants without a rate. */
    public ProtectionSettings protection() {
        return new ProtectionSettings(protectionMultiple, protectionTarget.toMillis());
    }
}
