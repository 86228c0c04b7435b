package io.spillway.gateway;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.overload.DiskRoom;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.GrownLimits;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.schema.WorkItem;
import io.spillway.tracing.SendSpan;
import io.spillway.tracing.Tracing;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    /** Label of the limit of requests in flight, which is of the gateway and not of the policy. */
    private static final String TENANT_REQUESTS = "tenantRequests";

    static final String OTHER_TENANT = "The key belongs to another tenant than the one in the request.";
    /** Upper bound for key, Spillway's headers and framing of a record. */
    private static final int FRAMING_BYTES = 2 * 1024;
    private static final long RETRY_AFTER_MILLIS = 10_000;

    private final TenantPolicies policies;
    private final GrownLimits limits;
    private final AdmissionRules rules;
    private final Backlogs backlogs;
    private final Gateway.Sources sources;
    private final Producer<byte[], byte[]> producer;
    private final Tracing tracing;
    private final String topic;
    private final int maxBytes;
    private final long confirmNanos;
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final WriteHealth health = new WriteHealth();
    private volatile DiskRoom room = DiskRoom.ENOUGH;
    /** Counters of the refused items of a tenant, by limit. */
    private final TenantMeters<Map<String, Counter>> refused;

    /**
     * Creates the intake.
     *
     * @param confirmMillis time for the answer to a request; the producer may block for half of it in one send
     * @param namedTenants  maximum number of tenants with series of their own
     */
    Intake(
            TenantPolicies policies, GrownLimits limits, AdmissionRules rules, Backlogs backlogs,
            Gateway.Sources sources, Producer<byte[], byte[]> producer, Topics topics, long confirmMillis,
            Tracing tracing, MeterRegistry registry, int namedTenants) {
        this.policies = policies;
        this.limits = limits;
        this.rules = rules;
        this.backlogs = backlogs;
        this.sources = sources;
        this.producer = producer;
        this.tracing = tracing;
        this.topic = topics.ingress();
        this.maxBytes = topics.ingressMaxBytes();
        this.confirmNanos = TimeUnit.MILLISECONDS.toNanos(confirmMillis);
        this.refused = new TenantMeters<>(
                namedTenants, tenant -> counters(registry, tenant),
                counters -> counters.values().forEach(registry::remove));
    }

    private static Map<String, Counter> counters(MeterRegistry registry, String tenant) {
        return Stream.concat(Stream.of(TENANT_REQUESTS), AdmissionRules.LIMITS.stream().map(PolicyField::key))
                .collect(Collectors.toMap(limit -> limit, limit -> Counter.builder("spillway.gateway.refused")
                        .description("Items and requests refused by a limit of their tenant")
                        .tag("limit", limit).tag("tenant", tenant)
                        .register(registry)));
    }

    /** Counts a request that is refused because its tenant has as many in flight as it may. */
    void refusedRequest(String tenant) {
        refused.of(tenant).get(TENANT_REQUESTS).increment();
    }

    /** Names the tenants with most refusals. Call it about every 10 s, from one thread. */
    void electTenants() {
        refused.elect();
    }

    /** Decides whether to admit one more item of a tenant now, and counts it if it is refused. */
    Admission admit(String tenant) {
        long nowMillis = sources.clock().millis();
        TenantContext context = policies.context(tenant);
        Admission admission = rules.admit(
                context, limits.ofGateways(tenant, context.policy()), backlogs.ofSender(tenant, nowMillis),
                TimeUnit.MILLISECONDS.toNanos(nowMillis), sources.random());
        switch (admission) {
            case Admission.Admitted admitted -> { }
            case Admission.OverRate over -> refused.of(tenant).get(over.limit().key()).increment();
            case Admission.HeldBack held -> refused.of(tenant).get(held.limit().key()).increment();
        }
        return admission;
    }

    /** Sends an item to Kafka. The future completes empty once it is confirmed, otherwise with the problem. */
    CompletableFuture<Optional<Problem>> send(WrittenItem parsed, TraceContext trace) {
        WorkItem item = parsed.item();
        byte[] value = codec.encode(item);
        if (value.length + parsed.headerBytes() + FRAMING_BYTES > maxBytes) {
            return CompletableFuture.completedFuture(Optional.of(tooLarge()));
        }
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, parsed.key(), value);
        parsed.addHeaders(record.headers());
        CompletableFuture<Optional<Problem>> result = new CompletableFuture<>();
        if (tracing.isOn()) {
            SendSpan span = tracing.send(
                    topic, item.getTenant(), item.getWorkload(), item.getId(), value.length, trace::header);
            span.headers().forEach(
                    (name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.US_ASCII)));
            result.thenAccept(problem -> span.end(problem.map(failure -> failure.kind().label)));
        } else {
            trace.addTo(record.headers());
        }
        String tenant = item.getTenant();
        backlogs.sent(tenant);
        try {
            producer.send(record, (stored, error) ->
                    result.complete(error == null ? confirmed() : problemOf(error, tenant)));
        } catch (RuntimeException e) {
            // The client throws errors that it finds before it accepts the record, and interrupts.
            result.complete(problemOf(e, tenant));
        }
        return result;
    }

    void follow(DiskRoom next) {
        room = next;
    }

    /** Returns why no item of any tenant is accepted now; empty if items are. */
    Optional<Problem> closed() {
        return room == DiskRoom.ENOUGH ? Optional.empty() : Optional.of(Problem.of(Problem.Kind.NO_SPACE,
                "The queue has no disk space for more items. It accepts them again when its operator has made room.",
                RETRY_AFTER_MILLIS));
    }

    /** Returns the current time, epoch milliseconds. */
    long nowMillis() {
        return sources.clock().millis();
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

    private Optional<Problem> problemOf(Exception error, String tenant) {
        backlogs.notStored(tenant);
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
                "The item may or may not be stored. Sending it again is safe with the same Idempotency-Key, or with the"
                        + " same id and dedupe. Otherwise it may be handled twice.", 1_000);
    }
}
