package io.spillway.kafka.topics;

import java.util.HashMap;
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
        return expiring(keptMillis, Math.max(60_000, keptMillis / 6), Map.of(
                TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(TRAIL_BYTES)));
    }

    /** A report is read at once or never, so the topic is as small as its segments. */
    static Map<String, String> attempts() {
        return expiring(ATTEMPTS_KEPT_MILLIS, ATTEMPTS_KEPT_MILLIS, Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(ATTEMPTS_REPORT_BYTES)));
    }

    static Map<String, String> actions() {
        return expiring(ACTIONS_KEPT_MILLIS, DAY_MILLIS, Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(ACTION_BYTES),
                TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(ACTIONS_BYTES)));
    }

    private static Map<String, String> expiring(long keptMillis, long segmentMillis, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
        settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
        settings.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(keptMillis));
        settings.put(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SEGMENT_BYTES));
        settings.put(TopicConfig.SEGMENT_MS_CONFIG, Long.toString(segmentMillis));
        return Map.copyOf(settings);
    }
}
