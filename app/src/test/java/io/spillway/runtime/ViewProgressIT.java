package io.spillway.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.view.InstanceViews;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Selection of the instances to wait for, with a manual clock. */
@Timeout(900) // Against a hang; nothing is measured.
class ViewProgressIT {
    private static final long NOW_MILLIS = 1_800_000_000_000L;
    private static final long RECORD = 6;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final AtomicLong nowMillis = new AtomicLong(NOW_MILLIS);
    /** Time that passes at every read of the clock. */
    private long tickMillis = 1;
    private final InstantSource ticking = () -> Instant.ofEpochMilli(nowMillis.getAndAdd(tickMillis));
    private TopicPartition partition;

    @BeforeEach
    void createTopic() throws Exception {
        partition = new TopicPartition(kafka.createTopic("policies", 1), 0);
    }

    @Test
    void counts_the_instances_that_are_past_the_record() throws Exception {
        commit("a", RECORD + 1, NOW_MILLIS);
        commit("b", RECORD + 100, NOW_MILLIS - 9_000);

        assertThat(progress().await(partition, RECORD, 1_000)).isEqualTo(2);
    }

    @Test
    void ignores_instances_without_a_commit_for_ten_seconds_and_foreign_groups() throws Exception {
        commit("dead", RECORD, NOW_MILLIS - 10_001);
        kafka.admin().alterConsumerGroupOffsets(InstanceViews.groupOf(partition.topic(), "foreign"),
                Map.of(partition, new OffsetAndMetadata(0, "not a time"))).all().get();
        kafka.admin()
                .alterConsumerGroupOffsets(kafka.prefix() + ".other", Map.of(partition, new OffsetAndMetadata(0, "")))
                .all()
                .get();

        tickMillis = 1_000;
        assertThat(progress().await(partition, RECORD, 30_000)).isZero();
    }

    @Test
    void a_first_report_is_awaited_for_a_short_time() throws Exception {
        long started = nowMillis.get();
        tickMillis = 1_000;
        assertThat(progress().await(partition, RECORD, 1_000)).as("even if the time is up earlier").isZero();
        assertThat(nowMillis.get() - started)
                .isBetween(ViewProgress.FIRST_REPORT_MILLIS, 2 * ViewProgress.FIRST_REPORT_MILLIS);
    }

    @Test
    void an_instance_that_first_reports_during_the_wait_is_awaited() throws Exception {
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(() -> progress().await(partition, RECORD, 1_000_000));
        awaitLooks(2);
        assertThat(waiting).isNotDone();
        commit("early", RECORD, NOW_MILLIS);
        awaitLooks(4);
        assertThat(waiting).as("it has not got past the record").isNotDone();
        commit("early", RECORD + 1, NOW_MILLIS);

        assertThat(waiting.get()).isEqualTo(1);
    }

    @Test
    void names_the_instances_that_are_behind_the_record_at_the_timeout() throws Exception {
        commit("quick", RECORD + 1, NOW_MILLIS);
        commit("slow", RECORD, NOW_MILLIS);

        assertThatThrownBy(() -> progress().await(partition, RECORD, 0))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(
                        "Stored, but not applied within 0 s by [slow]. Check the logs of these instances.");
    }

    @Test
    void returns_when_the_last_instance_is_past_the_record() throws Exception {
        commit("slow", RECORD, NOW_MILLIS);
        CompletableFuture<Integer> waiting =
                CompletableFuture.supplyAsync(() -> progress().await(partition, RECORD, 1_000_000));
        awaitLooks(2);
        assertThat(waiting).isNotDone();
        commit("slow", RECORD + 1, NOW_MILLIS);

        assertThat(waiting.get()).isEqualTo(1);
    }

    /** Each look reads the clock once or twice. */
    private void awaitLooks(int looks) {
        long started = nowMillis.get();
        while (nowMillis.get() < started + 2L * looks) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private ViewProgress progress() {
        return new ViewProgress(kafka.admin(), ticking);
    }

    private void commit(String instance, long position, long atMillis) throws Exception {
        kafka.admin().alterConsumerGroupOffsets(InstanceViews.groupOf(partition.topic(), instance),
                Map.of(partition, new OffsetAndMetadata(position, Long.toString(atMillis)))).all().get();
    }
}
