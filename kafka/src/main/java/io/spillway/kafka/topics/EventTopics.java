package io.spillway.kafka.topics;

import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Settings of the topics whose records are events, and expire by the broker's clock: the wrong clock of a writer must
 * not keep or lose them.
 */
final class EventTopics {
    /** About a million finished items. Whole segments expire, so a segment is a small part of it. */
    private static final long TRAIL_BYTES = 256L * 1024 * 1024;
    private static final int SEGMENT_BYTES = 16 * 1024 * 1024;
    /** Reports of attempts are of use for seconds. */
    private static final long ATTEMPTS_KEPT_MILLIS = 10 * 60 * 1000;
    private static final int ATTEMPTS_REPORT_BYTES = 2 * 1024 * 1024;
    private static final long DAY_MILLIS = 24L * 60 * 60 * 1000;
    /** For a review a quarter later. */
    private static final long ACTIONS_KEPT_MILLIS = 90 * DAY_MILLIS;
    /** More than a hundred thousand actions. A gateway reads all of them when it starts. */
    private static final long ACTIONS_BYTES = 64L * 1024 * 1024;
    private static final int ACTION_BYTES = 256 * 1024;

    private EventTopics() {}

    static Map<String, String> trail(long keptMillis) {
        return Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime",
                TopicConfig.RETENTION_MS_CONFIG, Long.toString(keptMillis),
                TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(TRAIL_BYTES),
                TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SEGMENT_BYTES),
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(Math.max(60_000, keptMillis / 6)));
    }

    /** A report is read at once or never, so the topic is as small as its segments. */
    static Map<String, String> attempts() {
        return Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime",
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(ATTEMPTS_REPORT_BYTES),
                TopicConfig.RETENTION_MS_CONFIG, Long.toString(ATTEMPTS_KEPT_MILLIS),
                TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SEGMENT_BYTES),
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(ATTEMPTS_KEPT_MILLIS));
    }

    static Map<String, String> actions() {
        return Map.of(
                TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE,
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime",
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(ACTION_BYTES),
                TopicConfig.RETENTION_MS_CONFIG, Long.toString(ACTIONS_KEPT_MILLIS),
                TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(ACTIONS_BYTES),
                TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SEGMENT_BYTES),
                TopicConfig.SEGMENT_MS_CONFIG, Long.toString(DAY_MILLIS));
    }
}
