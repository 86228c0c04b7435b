package io.spillway.kafka.topics;

import java.util.Optional;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Setting of a topic that is not as declared.
 *
 * @param isLoss      whether items or state can be lost, or a role can stop; otherwise it only costs something
 * @param consequence what it leads to, as a clause
 */
record TopicDifference(String key, String actual, String wanted, boolean isLoss, String consequence) {
    private static final long MIN_AFTER_MILLIS = 60 * 60 * 1000;
    private static final String DISK = "finished records stay on disk for longer or shorter, and starts read more";

    /**
     * Returns how a setting differs; empty if it serves.
     *
     * @param timestampType of the topic
     * @param replicas      of the topic
     */
    static Optional<TopicDifference> of(
            TopicSpec spec, String key, String actual, String timestampType, int replicas) {
        String wanted = spec.configs().get(key);
        boolean isQueue = "-1".equals(spec.configs().get(TopicConfig.RETENTION_BYTES_CONFIG));
        boolean isStamped = "LogAppendTime".equals(timestampType);
        if (wanted.equals(actual)) {
            return Optional.empty();
        }
        return switch (key) {
            case TopicConfig.CLEANUP_POLICY_CONFIG -> policy(wanted, actual);
            case TopicConfig.RETENTION_MS_CONFIG -> isQueue
                    ? atLeast(key, actual, wanted, "Kafka deletes items that wait for longer; if the cluster allows no"
                            + " more, set topics.retention")
                    : cost(key, actual, wanted, "statuses or events are kept for longer or shorter");
            case TopicConfig.RETENTION_BYTES_CONFIG -> isQueue
                    ? atLeast(key, actual, wanted, "Kafka deletes the oldest items of a larger backlog")
                    : cost(key, actual, wanted, "statuses or events are kept for longer or shorter");
            case TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG -> number(actual) > replicas
                    ? loss(key, actual, wanted, "with " + replicas + " of them no record is accepted")
                    : number(wanted) > replicas ? Optional.empty()
                    : atLeast(key, actual, wanted, "items are lost with the broker that alone has them");
            case TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG ->
                    loss(key, actual, wanted, "a broker that lacks items can become their leader");
            case TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG -> isQueue
                    ? loss(key, actual, wanted, "ages and sweeps go by the wrong times")
                    : cost(key, actual, wanted, "segments and expiry go by the clocks of writers");
            case TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG -> isStamped ? Optional.empty()
                    : atLeast(key, actual, wanted, "a role stops at an item that waited for longer");
            case TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG -> isStamped || number(actual) >= MIN_AFTER_MILLIS
                    ? Optional.empty() : loss(key, actual, wanted, "a role stops if clocks differ by more");
            case TopicConfig.DELETE_RETENTION_MS_CONFIG ->
                    atLeast(key, actual, wanted, "an instance that misses a removal brings it back");
            case TopicConfig.MAX_MESSAGE_BYTES_CONFIG -> number(actual) < number(wanted)
                    ? loss(key, actual, wanted, "records of topics.maxBytes do not fit")
                    : cost(key, actual, wanted, "records above topics.maxBytes are refused only when they are read");
            case TopicConfig.COMPRESSION_TYPE_CONFIG ->
                    cost(key, actual, wanted, "the size of a record is known only when it is read");
            default -> cost(key, actual, wanted, DISK);
        };
    }

    private static Optional<TopicDifference> policy(String wanted, String actual) {
        boolean compacts = actual.contains(TopicConfig.CLEANUP_POLICY_COMPACT);
        boolean deletes = actual.contains(TopicConfig.CLEANUP_POLICY_DELETE);
        String key = TopicConfig.CLEANUP_POLICY_CONFIG;
        if (wanted.equals(TopicConfig.CLEANUP_POLICY_DELETE)) {
            return compacts ? loss(key, actual, wanted, "Kafka removes items that wait")
                    : loss(key, actual, wanted, "finished items stay");
        }
        if (!wanted.contains(TopicConfig.CLEANUP_POLICY_DELETE)) {
            return deletes ? loss(key, actual, wanted, "Kafka removes state that is needed")
                    : loss(key, actual, wanted, "the topic grows without end");
        }
        return deletes && compacts ? Optional.empty()
                : compacts ? cost(key, actual, wanted, "statuses of instances that are gone stay")
                : loss(key, actual, wanted, "Kafka removes statuses by their age alone, or none");
    }

    private static Optional<TopicDifference> atLeast(String key, String actual, String wanted, String consequence) {
        return number(actual) >= number(wanted) ? Optional.empty() : loss(key, actual, wanted, consequence);
    }

    /** Returns the number that a value is; the largest for no limit, and the least for none. */
    private static long number(String value) {
        try {
            long number = Long.parseLong(value);
            return number == -1 ? Long.MAX_VALUE : number;
        } catch (NumberFormatException e) {
            return Long.MIN_VALUE;
        }
    }

    private static Optional<TopicDifference> loss(String key, String actual, String wanted, String consequence) {
        return Optional.of(new TopicDifference(key, actual, wanted, true, consequence));
    }

    private static Optional<TopicDifference> cost(String key, String actual, String wanted, String consequence) {
        return Optional.of(new TopicDifference(key, actual, wanted, false, consequence));
    }
}
