package io.spillway.config;

import io.spillway.policy.Durations;
import io.spillway.policy.ProtectionSettings;
import java.time.Duration;
import java.util.Map;

/**
 * The router.
 *
 * @param commitInterval     between commits; an item is visible in its lane after half of it on average
 * @param threads            stream threads in this process
 * @param stateDir           where Kafka Streams keeps its state; empty for a folder of the data directory
 * @param maxTenants         most tenants whose rate is measured at one time in this process
 * @param protectionMultiple how many times what others have in hot a tenant without a rate may have while hot is behind; 0 for no limit
 * @param protectionTarget   how long work may have to wait in hot before it is behind
 * @param properties         passed to Kafka Streams
 */
public record RouterSettings(
        Duration commitInterval, int threads, String stateDir, int maxTenants, double protectionMultiple,
        Duration protectionTarget, Map<String, String> properties) {
    public RouterSettings {
        properties = Map.copyOf(properties);
        long millis = commitInterval.toMillis();
        if (millis < 1 || millis > 60_000) {
            throw new InvalidSettingException("router.commitInterval", millis + "ms", "must be 1ms to 1m");
        }
        InvalidSettingException.requireRange("router.threads", threads, 1, 256);
        InvalidSettingException.requireRange("router.maxTenants", maxTenants, 1, 10_000_000);
        if (!ProtectionSettings.isMultiple(protectionMultiple)) {
            throw new InvalidSettingException("router.protection.multiple", protectionMultiple,
                    "must be 0, or " + ProtectionSettings.LEAST_MULTIPLE + " to " + ProtectionSettings.MOST_MULTIPLE);
        }
        long targetMillis = protectionTarget.toMillis();
        if (targetMillis < ProtectionSettings.LEAST_TARGET_MILLIS || targetMillis > ProtectionSettings.MOST_TARGET_MILLIS) {
            throw new InvalidSettingException("router.protection.target", targetMillis + "ms",
                    "must be " + Durations.format(ProtectionSettings.LEAST_TARGET_MILLIS) + " to "
                            + Durations.format(ProtectionSettings.MOST_TARGET_MILLIS));
        }
    }

    /** When tenants without a rate are contained. */
    public ProtectionSettings protection() {
        return new ProtectionSettings(protectionMultiple, protectionTarget.toMillis());
    }
}
