package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.StatusPublisher;
import io.spillway.kafka.view.TimeoutStatuses;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class TimeoutReporterTest {
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private long nowMillis = 1_800_000_000_000L;
    private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    private List<TenantStats> now = List.of();

    @Test
    void itPublishesChangesAndRepeatsTheSameOnceAMinute() {
        TimeoutReporter reporter = reporter();
        run(reporter, 12);
        assertThat(producer.history()).as("nothing to tell").isEmpty();

        now = List.of(stats(10));
        run(reporter, 7);
        assertThat(producer.history()).as("at once, and after a minute").hasSize(2);
        now = List.of(stats(11));
        run(reporter, 1);
        now = List.of();
        run(reporter, 12);
        assertThat(producer.history()).as("a change, and the end").hasSize(4);
        reporter.close();
    }

    @Test
    void aCommandReadsThePublishedStatus() {
        now = List.of(stats(10));
        TimeoutReporter reporter = reporter();
        reporter.report();
        ProducerRecord<byte[], byte[]> written = producer.history().getFirst();
        TimeoutStatuses statuses = new TimeoutStatuses(clock);
        statuses.put(new String(written.key()), written.value());

        assertThat(written.topic()).isEqualTo("spillway.timeouts");
        assertThat(statuses.of("acme")).isEqualTo(Map.of("worker-1", stats(10).stats()));
        reporter.close();
        assertThat(producer.history().getLast().value()).as("the closed reporter deletes its status").isNull();
    }

    private void run(TimeoutReporter reporter, int periods) {
        for (int i = 0; i < periods; i++) {
            reporter.report();
            nowMillis += TimeoutReporter.PERIOD_MILLIS;
        }
    }

    private static TenantStats stats(long samples) {
        return new TenantStats("acme", new TimeoutStats(samples, 20, 30, 40, samples, 0, 0, 30_000, 30_000, false));
    }

    private TimeoutReporter reporter() {
        Topics topics = new Topics(new SettingsBinder(Map.of()).bind(QueueSettings.class));
        StatusPublisher publisher = new StatusPublisher(topics.timeouts(), "worker-1", producer);
        return new TimeoutReporter(publisher, "worker-1", most -> now, clock);
    }
}
