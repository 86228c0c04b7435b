package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.tracing.Tracing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log and the dead letter say about an item whose handler failed. One attempt is allowed. */
class HandlerFailureTest {
    private static final long NOW_MILLIS = 1_700_000_000_000L;

    private final Topics topics = new Topics(new SettingsBinder(Map.of()).bind(QueueSettings.class));
    private final InstantSource clock = () -> Instant.ofEpochMilli(NOW_MILLIS);
    private final ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), 1 << 20),
            new TenantPolicies(PolicySettings.NONE_SET.with(PolicyField.ATTEMPTS, "1")), new Sweeps(), item -> false,
            () -> 0);
    private final WorkerMetrics metrics = new WorkerMetrics(
            new SimpleMeterRegistry(), 3, tenant -> false, Duration.ofMinutes(5), InstantSource.system());
    private final WorkerCore core = core();
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private long offset;

    @BeforeEach
    void listen() {
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger().detachAppender(log);
    }

    @Test
    void an_exception_is_in_the_log_with_its_trace_and_in_the_dead_letter() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> {
            throw new IllegalStateException("no luck", new IOException("disk full"));
        });

        assertThat(text(dead, "spillway-dead-detail")).isEqualTo("java.lang.IllegalStateException: no luck");
        assertThat(text(dead, "spillway-dead-failure"))
                .startsWith("java.lang.IllegalStateException: no luck\n    at " + getClass().getName())
                .contains("\nCaused by: java.io.IOException: disk full\n    at ");
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getFormattedMessage()).startsWith("The handler failed, tenant=acme id=item-0 record="
                    + "spillway.hot-0@0 attempt=1: java.lang.IllegalStateException: no luck;");
            assertThat(ThrowableProxyUtil.asString(event.getThrowableProxy()))
                    .contains(getClass().getName(), "Caused by", "disk full");
        });
    }

    @Test
    void a_dead_letter_that_the_handler_wants_is_logged_as_its_answer() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> Outcome.dead("no such order"));

        assertThat(text(dead, "spillway-dead-reason")).isEqualTo("final-failure");
        assertThat(log.list).singleElement().satisfies(event -> assertThat(event.getFormattedMessage())
                .startsWith("The handler answered dead, tenant=acme id=item-0")
                .contains(": no such order; further ones of this kind"));
    }

    @Test
    void an_exception_whose_methods_fail_is_one_failed_attempt() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> {
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw new IllegalStateException("getMessage fails");
                }
            };
        });

        assertThat(text(dead, "spillway-dead-reason")).isEqualTo("attempts-used-up");
        assertThat(log.list).hasSize(1);
    }

    @Test
    void an_error_that_would_end_a_thread_is_named_and_the_worker_goes_on() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> {
            throw new StackOverflowError();
        });

        assertThat(text(dead, "spillway-dead-failure")).startsWith("java.lang.StackOverflowError");
        assertThat(log.list).singleElement().satisfies(event ->
                assertThat(event.getFormattedMessage()).contains("tenant=acme id=item-0", "StackOverflowError"));
    }

    @Test
    void a_second_failure_of_the_same_kind_is_not_logged_again() {
        Handler handler = delivery -> {
            throw new IllegalStateException("no luck");
        };
        AttemptRunner runner = runner(handler);
        OwnedPartition partition = partition(ProgressState.fresh(0));
        for (int i = 0; i < 50; i++) {
            receive(partition).forEach(runner::handle);
        }

        assertThat(log.list).hasSize(1);
    }

    @Test
    void a_long_reason_is_kept_beyond_the_detail() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> Outcome.dead("x".repeat(1_000)));

        assertThat(text(dead, "spillway-dead-detail")).hasSize(200);
        assertThat(text(dead, "spillway-dead-failure")).isEqualTo("x".repeat(1_000));
    }

    @Test
    void a_short_reason_needs_no_second_header() {
        ProducerRecord<byte[], byte[]> dead = deadLetterOf(delivery -> Outcome.dead("no such customer"));

        assertThat(dead.headers().lastHeader("spillway-dead-failure")).isNull();
    }

    @Test
    void a_killer_is_named_with_its_attempts_before_it_runs_and_when_it_is_convicted() {
        ProgressState diedTwice = new ProgressState(
                0, 1, 1, OffsetList.of(0), Optional.of(new SuspectMark(0, 1)), 0, false, true);
        OwnedPartition partition = partition(diedTwice);
        assertThat(receive(partition)).isEmpty();
        core.committed(core.batch()).forEach(runner(delivery -> Outcome.done())::handle);

        assertThat(log.list).singleElement().satisfies(event -> assertThat(event.getFormattedMessage())
                .isEqualTo("Runs an item alone with which 2 workers have died, tenant=acme id=item-0"
                        + " record=spillway.hot-0@0 attempt=1"));

        core.forget(core.partitions());
        offset = 0;
        OwnedPartition again = partition(new ProgressState(
                0, 1, 1, OffsetList.of(0), Optional.of(new SuspectMark(0, 2)), 0, false, true));
        receive(again);
        assertThat(core.takeNotes()).containsExactly("An item is a dead letter, tenant=acme id=item-0"
                + " record=spillway.hot-0@0: 3 workers died with it, the last ones with it alone");
        ProducerRecord<byte[], byte[]> dead = core.batch().parts().get(again).moves().getFirst();
        assertThat(text(dead, "spillway-attempt")).isEqualTo("3");
        assertThat(dead.headers().lastHeader("spillway-first-attempt-at")).as("not known").isNull();
    }

    private ProducerRecord<byte[], byte[]> deadLetterOf(Handler handler) {
        OwnedPartition partition = partition(ProgressState.fresh(0));
        List<Attempt> attempts = receive(partition);
        attempts.forEach(runner(handler)::handle);
        return core.batch().parts().get(partition).moves().getLast();
    }

    /** Assigns partition 0 of hot; what is fresh may start at once. */
    private OwnedPartition partition(ProgressState before) {
        OwnedPartition partition = new OwnedPartition(new TopicPartition(topics.lane(Lane.HOT), 0), Lane.HOT,
                new PartitionProgress(before, Long.MAX_VALUE, 1_500));
        core.assign(List.of(partition));
        if (before.clean()) {
            core.committed(core.batch());
        }
        return partition;
    }

    private List<Attempt> receive(OwnedPartition partition) {
        Headers headers = new RecordHeaders()
                .add(ItemHeaders.TENANT, ModelLedger.bytes("acme"))
                .add(ItemHeaders.ID, ModelLedger.bytes("item-" + offset))
                .add(ItemHeaders.ENQUEUED_AT, ModelLedger.bytes(Long.toString(NOW_MILLIS)));
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(topics.lane(Lane.HOT), 0, offset, NOW_MILLIS,
                TimestampType.CREATE_TIME, 1, 1, new byte[1], new byte[1], headers, Optional.empty());
        offset++;
        return core.receive(List.of(new OwnedPartition.Polled(partition, List.of(record), offset)));
    }

    private AttemptRunner runner(Handler handler) {
        return new AttemptRunner(handler, Drills.of(false, clock), metrics, new HandlingStats(0), core,
                Tracing.OFF, topics.workerGroup(), () -> 0, failure -> {
            throw new AssertionError(failure);
        });
    }

    private WorkerCore core() {
        Outbox outbox = new Outbox(Placements.records(topics), metrics, clock, "worker-1");
        WorkerEngine<LaneItem, Attempt> engine = new WorkerEngine<>(
                new DispatchSettings(6, 0, 0.05, 0.05, 30, 1 << 20, 20, true),
                new DestinationHealth(100), 3, gate, Attempt.factory(clock, () -> 0, Duration.ofSeconds(1)));
        WorkerCore created = new WorkerCore(
                gate, engine, outbox, () -> Integer.MAX_VALUE, clock, () -> 0, new SplittableRandom(1));
        created.updateGroup(new MockConsumer<byte[], byte[]>("none").groupMetadata());
        return created;
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("io.spillway.worker");
    }

    private static String text(ProducerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }
}
