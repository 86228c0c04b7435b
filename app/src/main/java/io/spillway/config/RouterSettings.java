package io.spillway.config;

import java.time.Duration;
import java.util.Map;

/**
 * The router.
 *
 * @param commitInterval between commits; an item is visible in its lane after half of it on average
 * @param threads        stream threads in this process
 * @param stateDir       where Kafka Streams keeps its state; empty for a folder of the data directory
 * @param maxTenants     most tenants whose rate is measured at one time in this process
 * @param properties     passed to Kafka Streams
 */
public record RouterSettings(
        Duration commitInterval, int threads, String stateDir, int maxTenants, Map<String, String> properties) {
    public RouterSettings {
        properties = Map.copyOf(properties);
        long millis = commitInterval.toMillis();
        if (millis < 1 || millis > 60_000) {
            throw new InvalidSettingException("router.commitInterval", millis + "ms", "must be 1ms to 1m");
        }
        InvalidSettingException.requireRange("router.threads", threads, 1, 256);
        InvalidSettingException.requireRange("router.maxTenants", maxTenants, 1, 10_000_000);
    }
}
