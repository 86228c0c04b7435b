package io.spillway.operator;

import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of the action log. An action that cannot be recorded has still happened, so a failure is logged and returned,
 * not thrown. Thread-safe.
 *
 * @param topic      topic of the action log
 * @param randomBits returns 64 random bits; thread-safe
 */
public record ActionRecorder(String topic, InstantSource clock, LongSupplier randomBits) {
    private static final Logger LOG = LoggerFactory.getLogger(ActionRecorder.class);

    /** Records what was done, and returns why it could not be recorded, if it could not. */
    public Optional<String> record(
            CompactedStore store, String by, String action, String tenant, Map<String, ?> options, String result) {
        ActionEntry entry = ActionEntry.of(clock.millis(), by, action, tenant, options, result);
        LOG.debug("{}", entry);
        try {
            store.write(topic, ActionLog.key(entry.atMillis(), randomBits.getAsLong()), entry.encode());
            return Optional.empty();
        } catch (KafkaFailure e) {
            LOG.warn("Not in the action log: {} {} of {} by {}: {} ({})", entry.action(), entry.options(),
                    entry.tenant(), entry.by(), entry.result(), Printable.onOneLine(e.getMessage()));
            return Optional.of("It is done, but not in the action log: " + Printable.onOneLine(e.getMessage()));
        }
    }
}
