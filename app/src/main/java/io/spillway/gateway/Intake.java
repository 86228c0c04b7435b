package io.spillway.gateway;

import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits items and hands them to Kafka. An item is accepted when all in-sync replicas have it, and no sooner.
 *
 * <p>Thread-safe; the producer is the gateway's. It has no queue of its own: the producer's buffer is bounded, and an item
 * that finds it full for as long as Kafka has to confirm is refused.
 */
final class Intake {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    /** Key, headers and framing of a record; ids and names are bounded far below it. */
    private static final int FRAMING_BYTES = 2 * 1024;

    private final TenantPolicies policies;
    private final AdmissionRules rules;
    private final Depths depths;
    private final InstantSource clock;
    private final DoubleSupplier random;
    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final int maxBytes;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final AtomicLong notConfirmed = new AtomicLong();

    /**
     * Makes an intake.
     *
     * @param random   at each call from 0 to below 1
     * @param topic    where items go
     * @param maxBytes largest record that the topic takes
     */
    Intake(
            TenantPolicies policies, AdmissionRules rules, Depths depths, InstantSource clock, DoubleSupplier random,
            Producer<byte[], byte[]> producer, String topic, int maxBytes) {
        this.policies = policies;
        this.rules = rules;
        this.depths = depths;
        this.clock = clock;
        this.random = random;
        this.producer = producer;
        this.topic = topic;
        this.maxBytes = maxBytes;
    }

    /** Whether one more item of a tenant may come in now. */
    Admission admit(String tenant) {
        long nowNanos = TimeUnit.MILLISECONDS.toNanos(clock.millis());
        return rules.admit(tenant, policies.of(tenant), depths.waiting(tenant), nowNanos, random.getAsDouble());
    }

    /** Why an item is refused, when it is. */
    static Optional<Problem> problemOf(Admission admission) {
        return switch (admission) {
            case Admission.Admitted admitted -> Optional.empty();
            case Admission.OverRate over -> Optional.of(Problem.of(
                    Problem.Kind.OVER_RATE, "the tenant sends more than its rate and burst", over.retryAfterMillis()));
            case Admission.HeldBack held -> Optional.of(Problem.of(
                    Problem.Kind.HELD_BACK, "more of the tenant's items wait than its maxDepth", held.retryAfterMillis()));
        };
    }

    /**
     * Gives an item to Kafka's client.
     *
     * @return ends with nothing when Kafka has confirmed it, with the problem otherwise, and never exceptionally
     */
    CompletableFuture<Optional<Problem>> send(WorkItem item, TraceContext trace) {
        byte[] value = codec.encode(item);
        if (value.length + FRAMING_BYTES > maxBytes) {
            return CompletableFuture.completedFuture(Optional.of(tooLarge()));
        }
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, item.getTenant().getBytes(StandardCharsets.US_ASCII), value);
        record.headers().add("traceparent", trace.traceparent().getBytes(StandardCharsets.US_ASCII));
        trace.tracestate().ifPresent(
                state -> record.headers().add("tracestate", state.getBytes(StandardCharsets.US_ASCII)));
        CompletableFuture<Optional<Problem>> answer = new CompletableFuture<>();
        try {
            producer.send(record, (stored, fault) -> answer.complete(fault == null ? confirmed() : problemOf(fault)));
        } catch (RuntimeException e) {
            // The client throws what it finds before it has taken the record, and was interrupted at.
            answer.complete(problemOf(e));
        }
        return answer;
    }

    /** Waits for the end of a send. The producer ends each in its delivery time; twice that is beyond what can be. */
    static Optional<Problem> await(CompletableFuture<Optional<Problem>> sent, long confirmMillis) {
        try {
            return sent.get(2 * confirmMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(notConfirmed());
        } catch (TimeoutException e) {
            return Optional.of(notConfirmed());
        } catch (ExecutionException e) {
            throw new IllegalStateException("sends end with a problem", e);
        }
    }

    private Optional<Problem> confirmed() {
        if (notConfirmed.get() > 0) {
            long missed = notConfirmed.getAndSet(0);
            if (missed > 0) {
                LOG.warn("Kafka confirms items again; {} were not confirmed", missed);
            }
        }
        return Optional.empty();
    }

    private Optional<Problem> problemOf(Exception fault) {
        if (fault instanceof RecordTooLargeException) {
            return Optional.of(tooLarge());
        }
        // One line for each time that it begins, and not for each request.
        if (notConfirmed.getAndIncrement() == 0) {
            LOG.warn("Kafka does not confirm items: {}", Printable.of(fault.toString()));
        }
        return Optional.of(notConfirmed());
    }

    private static Problem tooLarge() {
        return Problem.of(Problem.Kind.TOO_LARGE, "the item is larger than the ingress topic takes (topics.maxBytes)");
    }

    private static Problem notConfirmed() {
        return Problem.of(Problem.Kind.NOT_CONFIRMED,
                "the item may be stored or not: send it again with the same Idempotency-Key", 1_000);
    }
}
