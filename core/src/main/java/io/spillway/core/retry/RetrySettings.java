package io.spillway.core.retry;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of the retry budgets that do not belong to a tenant; those of a tenant are in its policy. */
public record RetrySettings(
        @Setting(key = "retry.destinationTokens", defaultValue = "100", allowed = "1 to 1000000",
                doc = "Maximum number of retries saved up for one destination, over all tenants and instances.")
                int destinationTokens,
        @Setting(key = "retry.destinationTrickle", defaultValue = "10s", allowed = "10ms to 86400000ms",
                doc = "Time between two retries to a destination without saved retries, for each partition of the"
                        + " delay lane. They find out that it is back.")
                Duration destinationTrickle,
        @Setting(key = "retry.tenantTrickle", defaultValue = "1m", allowed = "10ms to 86400000ms",
                doc = "Time between two retries of a tenant without saved retries, for each partition of the delay"
                        + " lane. While no more than 100 of its items wait there, the time since its last first attempt"
                        + " is subtracted, down to destinationTrickle.")
                Duration tenantTrickle,
        @Setting(key = "retry.earnedByFirst", defaultValue = "0.05", allowed = "0 to 1",
                doc = "Retries that a first attempt earns even if it fails.")
                double earnedByFirst) {
    /**
     * While everything fails, a destination gets 1.05 times the items offered to it, 100 saved retries, and six retries
     * a minute for each partition.
     */
    public static final RetrySettings DEFAULT =
            new RetrySettings(100, Duration.ofSeconds(10), Duration.ofMinutes(1), 0.05);

    public RetrySettings {
        AllowedRange.check(RetrySettings.class, destinationTokens, destinationTrickle, tenantTrickle, earnedByFirst);
    }
}
