package io.spillway.gateway;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admission and publishing of items. An item is accepted once all in-sync replicas have stored it.
 *
 * <p>Thread-safe; the gateway owns the producer. There is no further queue: the producer's buffer is bounded, and an
 * item that gets no space in it within half of the confirm timeout is rejected.
 */
final class Intake {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    static final String OTHER_TENANT = "The key belongs to another tenant than the one in the request.";
    /** Upper bound for key, headers and framing of a record. */
    private static final int FRAMING_BYTES = 2 * 1024;

    private final TenantPolicies policies;
    private final AdmissionRules rules;
    private final Depths depths;
    private final Gateway.Sources sources;
    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final int maxBytes;
    private final long confirmNanos;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final WriteHealth health = new WriteHealth();

    /** @param confirmMillis time for the answer to a request; the producer may block for half of it in one send */
    Intake(
            TenantPolicies policies, AdmissionRules rules, Depths depths, Gateway.Sources sources,
            Producer<byte[], byte[]> producer, Topics topics, long confirmMillis) {
        this.policies = policies;
        this.rules = rules;
        this.depths = depths;
        this.sources = sources;
        this.producer = producer;
        this.topic = topics.ingress();
        this.maxBytes = topics.ingressMaxBytes();
        this.confirmNanos = TimeUnit.MILLISECONDS.toNanos(confirmMillis);
    }

    /** Decides whether to admit one more item of a tenant now. */
    Admission admit(String tenant) {
        long nowNanos = TimeUnit.MILLISECONDS.toNanos(sources.clock().millis());
        return rules.admit(policies.context(tenant), depths.waiting(tenant), nowNanos, sources.random());
    }

    /** Returns the problem of a rejected item; empty for an admitted one. */
    static Optional<Problem> problemOf(Admission admission) {
        return switch (admission) {
            case Admission.Admitted admitted -> Optional.empty();
            case Admission.OverRate over -> Optional.of(Problem.of(
                    Problem.Kind.OVER_RATE, "The tenant has exceeded its rate and burst.", over.retryAfterMillis()));
            case Admission.HeldBack held -> Optional.of(Problem.of(
                    Problem.Kind.HELD_BACK, "The tenant's backlog exceeds its maxDepth.", held.retryAfterMillis()));
        };
    }

    /** Sends an item to Kafka. The future completes empty once it is confirmed, otherwise with the problem. */
    CompletableFuture<Optional<Problem>> send(WorkItem item, int priority, TraceContext trace) {
        byte[] value = codec.encode(item);
        if (value.length + FRAMING_BYTES > maxBytes) {
            return CompletableFuture.completedFuture(Optional.of(tooLarge()));
        }
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, item.getTenant().getBytes(StandardCharsets.US_ASCII), value);
        if (priority != ItemLimits.NORMAL_PRIORITY) {
            record.headers().add(
                    ItemHeaders.PRIORITY, Integer.toString(priority).getBytes(StandardCharsets.US_ASCII));
        }
        record.headers().add("traceparent", trace.traceparent().getBytes(StandardCharsets.US_ASCII));
        trace.tracestate().ifPresent(
                state -> record.headers().add("tracestate", state.getBytes(StandardCharsets.US_ASCII)));
        CompletableFuture<Optional<Problem>> result = new CompletableFuture<>();
        try {
            producer.send(record, (stored, error) -> result.complete(error == null ? confirmed() : problemOf(error)));
        } catch (RuntimeException e) {
            // The client throws errors that it finds before it accepts the record, and interrupts.
            result.complete(problemOf(e));
        }
        return result;
    }

    long nowNanos() {
        return sources.nanoTime().getAsLong();
    }

    /** Returns the time by which a request whose first send is now must be answered, in monotonic nanoseconds. */
    long deadlineNanos() {
        return nowNanos() + confirmNanos;
    }

    /** Returns whether a send that starts now ends before the deadline, even if the producer blocks. */
    boolean canSend(long deadlineNanos) {
        return deadlineNanos - nowNanos() >= confirmNanos / 2;
    }

    /** Waits until the deadline for a send; afterwards returns at once. Returns the problem if it is not confirmed. */
    Optional<Problem> await(CompletableFuture<Optional<Problem>> sent, long deadlineNanos) {
        try {
            return sent.get(Math.max(0, deadlineNanos - nowNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(notConfirmed());
        } catch (TimeoutException e) {
            return Optional.of(notConfirmed());
        } catch (ExecutionException e) {
            throw new IllegalStateException("A send must not complete exceptionally", e);
        }
    }

    /** Returns whether Kafka confirms items, as far as the last sends show. */
    boolean isConfirming() {
        return !health.isFailing(nowNanos());
    }

    private Optional<Problem> confirmed() {
        long missed = health.confirmed();
        if (missed > 0) {
            LOG.warn("Kafka confirms items again. {} items were not confirmed; their clients retry them.", missed);
        }
        return Optional.empty();
    }

    private Optional<Problem> problemOf(Exception error) {
        if (error instanceof RecordTooLargeException) {
            return Optional.of(tooLarge());
        }
        // One line per outage instead of one per request.
        if (health.failed(nowNanos())) {
            LOG.warn("Kafka does not confirm items: {}. Check the brokers and the in-sync replicas of topic {}.",
                    Printable.of(error.toString()), topic);
        }
        return Optional.of(notConfirmed());
    }

    private static Problem tooLarge() {
        return Problem.of(
                Problem.Kind.TOO_LARGE, "The item exceeds the record size of the ingress topic (topics.maxBytes).");
    }

    private static Problem notConfirmed() {
        return Problem.of(Problem.Kind.NOT_CONFIRMED,
                "The item may or may not be stored. Sent again, it may be handled twice; with the same id"
                        + " (Idempotency-Key), its handler can recognise that.", 1_000);
    }
}
