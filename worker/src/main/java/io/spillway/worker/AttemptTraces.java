package io.spillway.worker;

import io.spillway.core.item.LaneReason;
import io.spillway.core.item.Printable;
import io.spillway.core.retry.AttemptResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import io.spillway.tracing.AttemptFacts;
import io.spillway.tracing.AttemptSpan;
import io.spillway.tracing.Tracing;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/** Factory of the spans of attempts. Thread-safe. */
final class AttemptTraces {
    private final Tracing tracing;
    private final String group;

    AttemptTraces(Tracing tracing, Topics topics) {
        this.tracing = tracing;
        this.group = topics.workerGroup();
    }

    /** Starts the span of an attempt in its thread, which closes it. */
    AttemptSpan begin(Attempt attempt) {
        if (!tracing.isOn()) {
            return AttemptSpan.NONE;
        }
        Headers headers = attempt.item.record().headers();
        return tracing.attempt(
                attempt.item.record().topic(), name -> ItemHeaders.text(headers, name), () -> facts(attempt));
    }

    /** Records how an attempt has ended, before its span is closed. */
    static void ended(AttemptSpan span, Attempt attempt, AttemptResult result) {
        if (span.isOn()) {
            span.ended(WorkerMetrics.outcomeOf(result), errorType(attempt, result), () -> Printable.of(attempt.detail));
        }
    }

    private static Optional<String> errorType(Attempt attempt, AttemptResult result) {
        return switch (result) {
            case AttemptResult.Succeeded succeeded -> Optional.empty();
            case AttemptResult.Deferred later -> Optional.empty();
            case AttemptResult.Interrupted interrupted -> Optional.empty();
            case AttemptResult.TimedOut late -> Optional.of(WorkerMetrics.outcomeOf(late));
            default -> Optional.of(attempt.thrown == null
                    ? WorkerMetrics.outcomeOf(result) : attempt.thrown.getClass().getName());
        };
    }

    private AttemptFacts facts(Attempt attempt) {
        LaneItem item = attempt.item;
        ConsumerRecord<byte[], byte[]> record = item.record();
        String reason = ItemHeaders.text(record.headers(), ItemHeaders.LANE_REASON).orElse(LaneReason.FRESH.label());
        long startMillis = attempt.startedAtMillis;
        return new AttemptFacts(
                record.topic(), record.partition(), record.offset(), group, item.tenant(), item.workload(), item.id(),
                record.value() == null ? 0 : record.value().length, item.lane().label(), reason, item.attempts() + 1,
                Math.max(0, startMillis - item.ageSinceMillis()),
                Math.max(0, item.enteredAtMillis() - item.enqueuedAtMillis()),
                delayMillis(item, startMillis), laneMillis(item, startMillis));
    }

    /** After a failure it is known as it was drawn, and before the first attempt by the time that the item was due. */
    private static OptionalLong delayMillis(LaneItem item, long startMillis) {
        if (item.attempts() > 0) {
            return item.waitMillis() > 0 ? OptionalLong.of(item.waitMillis()) : OptionalLong.empty();
        }
        OptionalLong due = dueMillis(item, startMillis);
        return due.isEmpty() ? due : OptionalLong.of(Math.max(0, due.getAsLong() - item.enteredAtMillis()));
    }

    /** A retry does not keep the time at which it was due. */
    private static OptionalLong laneMillis(LaneItem item, long startMillis) {
        long sinceMillis = dueMillis(item, startMillis).orElse(item.enteredAtMillis());
        return item.attempts() > 0 ? OptionalLong.empty() : OptionalLong.of(Math.max(0, startMillis - sinceMillis));
    }

    private static OptionalLong dueMillis(LaneItem item, long startMillis) {
        OptionalLong due = ItemHeaders.number(item.record().headers(), ItemHeaders.DUE);
        return due.isPresent() && due.getAsLong() <= startMillis ? due : OptionalLong.empty();
    }
}
