package io.spillway.kafka.topics;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the topics, for their creation and for the check at every start.
 *
 * @param trail     empty if not set; zero for none
 * @param retention empty for without end
 */
public record TopicSettings(
        @Setting(key = "topics.partitions", defaultValue = TopicSettings.DEFAULT_PARTITIONS, allowed = "1 to 10000",
                doc = "Partitions of the ingress topic and of every lane: as many as there will be workers, or more.")
                int partitions,
        @Setting(key = "topics.replication", defaultValue = "3", allowed = "1 to 9",
                doc = "Replicas of every topic. The embedded Kafka always has 1.") int replication,
        @Setting(key = "topics.maxBytes", defaultValue = "1114112", allowed = "1024 to 104857600", unit = "bytes",
                doc = "Largest record that the ingress topic takes, with key, headers and framing.") int maxBytes,
        @Setting(key = "topics.trail", defaultNote = "1h with the embedded Kafka, otherwise none",
                allowed = "none, or 1m to 30d",
                doc = "How long the topic trail keeps how each item finished, for explain --id. none writes no trail.")
                Optional<Duration> trail,
        @Setting(key = "topics.retention", defaultNote = "without end", allowed = "a duration of 1h or more",
                doc = "How long a record of a queue may stay. Set it only where the cluster allows no retention without"
                        + " end: Kafka deletes items that are not finished by then.") Optional<Duration> retention) {
    /** Default of {@code topics.partitions}. */
    public static final String DEFAULT_PARTITIONS = "24";
    private static final Duration EMBEDDED_TRAIL = Duration.ofHours(1);
    private static final Duration MIN_TRAIL = Duration.ofMinutes(1);
    private static final Duration MAX_TRAIL = Duration.ofDays(30);
    private static final Duration MIN_RETENTION = Duration.ofHours(1);

    public TopicSettings {
        AllowedRange.check(TopicSettings.class, partitions, replication, maxBytes, trail);
        trail.filter(kept -> !kept.isZero()).ifPresent(kept -> {
            if (kept.compareTo(MIN_TRAIL) < 0 || kept.compareTo(MAX_TRAIL) > 0) {
                throw new InvalidSettingException(
                        "topics.trail", Durations.format(kept.toMillis()), "must be none, or 1m to 30d");
            }
        });
        retention.filter(kept -> kept.compareTo(MIN_RETENTION) < 0).ifPresent(kept -> {
            throw new InvalidSettingException(
                    "topics.retention", Durations.format(kept.toMillis()), "must be a duration of 1h or more");
        });
    }

    /** Returns these settings for the embedded Kafka: one replica, and a trail unless it is set. */
    public TopicSettings embedded() {
        return new TopicSettings(partitions, 1, maxBytes, trail.or(() -> Optional.of(EMBEDDED_TRAIL)), retention);
    }

    /** Returns how long the trail is kept; zero for no trail. */
    public Duration trailKept() {
        return trail.orElse(Duration.ZERO);
    }
}
