package io.spillway.kafka.view;

import io.spillway.kafka.topics.KafkaFailure;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Size limits of topics that somebody has set lower than declared while the process runs. The brokers then refuse
 * records that fit by the declaration, and a transaction with one of them could be repeated for ever.
 *
 * <p>The limits are read when a broker has refused a record, and again until none is lower than declared. Thread-safe.
 * Bound: the declared topics.
 */
public final class LoweredLimits {
    private static final Logger LOG = LoggerFactory.getLogger(LoweredLimits.class);
    /** Most bytes of a batch with one record besides its key, value and headers. */
    private static final int BATCH_BYTES = 61 + 32;
    /** Most bytes of the two lengths of a header. */
    private static final int LENGTHS_BYTES = 10;

    private final Supplier<Map<String, Integer>> source;
    private volatile Map<String, Integer> lowered = Map.of();

    /**
     * Creates limits that are as declared until they are read.
     *
     * @param source returns the limits that are lower than declared, by topic, in bytes; may throw {@link KafkaFailure}
     */
    public LoweredLimits(Supplier<Map<String, Integer>> source) {
        this.source = source;
    }

    /** Reads the limits if a broker has refused a record for its size; returns whether they explain it and are new. */
    public boolean explain(Throwable failure) {
        return KafkaFailure.isCausedBy(failure, RecordTooLargeException.class) && read() && !lowered.isEmpty();
    }

    /** Reads the limits again while one of them is lower than declared. Call it about every 10 s. */
    public void readAgain() {
        if (!lowered.isEmpty()) {
            read();
        }
    }

    /** Returns whether any topic has a lower limit than declared. */
    public boolean areLower() {
        return !lowered.isEmpty();
    }

    /** Returns why a topic does not take a record, naming the setting; empty if it does. Key and value may be null. */
    public Optional<String> refusal(String topic, byte[] key, byte[] value, Headers headers) {
        Integer limit = lowered.get(topic);
        if (limit == null) {
            return Optional.empty();
        }
        long bytes = bytes(key, value, headers);
        return bytes <= limit ? Optional.empty() : Optional.of(bytes + " bytes do not fit into topic " + topic
                + ", whose " + TopicConfig.MAX_MESSAGE_BYTES_CONFIG + " was lowered to " + limit);
    }

    /** Returns the most bytes that a batch with one record takes. Key and value may be null. */
    public static long bytes(byte[] key, byte[] value, Headers headers) {
        long bytes = (long) BATCH_BYTES + length(key) + length(value);
        for (Header header : headers) {
            // A name that was not UTF-8 has three bytes for one that it had.
            bytes += LENGTHS_BYTES + Utils.utf8Length(header.key()) + length(header.value());
        }
        return bytes;
    }

    private synchronized boolean read() {
        Map<String, Integer> before = lowered;
        try {
            lowered = Map.copyOf(source.get());
        } catch (KafkaFailure e) {
            LOG.warn("The size limits of topics cannot be read, after a broker has refused a record: {}",
                    e.getMessage());
            return false;
        }
        lowered.forEach((topic, limit) -> {
            if (!limit.equals(before.get(topic))) {
                LOG.error("Somebody has lowered {} of topic {} to {}. Items that do not fit are dead letters until it"
                        + " is raised: spillway topics check shows the command. Replay them then.",
                        TopicConfig.MAX_MESSAGE_BYTES_CONFIG, topic, limit);
            }
        });
        if (lowered.isEmpty() && !before.isEmpty()) {
            LOG.info("No topic has a lower {} than declared any more", TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        }
        return !lowered.equals(before);
    }

    private static int length(byte[] bytes) {
        return bytes == null ? 0 : bytes.length;
    }
}
