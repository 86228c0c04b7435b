package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LaneStates;
import io.spillway.kafka.view.StatusPublisher;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class LaneReporterTest {
    private static final WorkerReport IDLE = new WorkerReport(50, 500, 500, 0, 0, 0, Map.of());
    private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(1_800_000_000_000L);

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private WorkerReport now = IDLE;

    @Test
    void it_publishes_every_period_under_load_and_seldom_otherwise() {
        LaneReporter reporter = reporter();
        for (int period = 0; period < 2 * LaneReporter.IDLE_PERIODS; period++) {
            reporter.report();
        }
        assertThat(producer.history()).as("at the start, and once after 8 idle periods").hasSize(2);
        now = new WorkerReport(50, 500, 500, 0, 0, 0, Map.of(Lane.HOT, Set.of(3)));
        reporter.report();
        assertThat(producer.history()).as("at once when its partitions have changed").hasSize(3);
        now = IDLE;
        reporter.report();

        producer.clear();
        now = new WorkerReport(50, 500, 500, 80, 3, 25, Map.of());
        reporter.report();
        reporter.report();
        now = IDLE;
        reporter.report();
        reporter.report();
        assertThat(producer.history()).as("two under load, and the first idle one").hasSize(3);

        producer.clear();
        for (WorkerReport load : new WorkerReport[] {
            new WorkerReport(50, 500, 500, 4, 0, 0, Map.of()), new WorkerReport(50, 500, 500, 0, 1, 0, Map.of()),
            new WorkerReport(50, 500, 500, 0, 0, 7, Map.of())}) {
            now = load;
            reporter.report();
        }
        assertThat(producer.history()).as("each value above 0 counts as load").hasSize(3);
        reporter.close();
    }

    @Test
    void a_router_reads_the_published_report() {
        now = new WorkerReport(50, 500, 500, 80, 3, 25, Map.of());
        LaneReporter reporter = reporter();
        reporter.report();
        ProducerRecord<byte[], byte[]> written = producer.history().getFirst();
        LaneStates states = new LaneStates(CLOCK);
        states.put(new String(written.key()), written.value());

        assertThat(written.topic()).isEqualTo("spillway.lane-state");
        assertThat(states.reports()).containsExactly(Map.entry("worker-1", now));
        reporter.close();
        assertThat(producer.history().getLast().value()).as("the closed reporter deletes its report").isNull();
        assertThat(producer.closed()).isTrue();
    }

    private LaneReporter reporter() {
        Topics topics = new Topics(new SettingsBinder(Map.of()).bind(QueueSettings.class));
        StatusPublisher publisher = new StatusPublisher(topics.laneState(), "worker-1", producer);
        return new LaneReporter(publisher, "worker-1", () -> now, CLOCK);
    }
}
