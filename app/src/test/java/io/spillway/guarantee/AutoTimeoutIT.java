package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.TimeoutStats;
import io.spillway.handler.Outcome;
import io.spillway.kafka.view.TimeoutStatuses;
import io.spillway.runtime.CompactedTopics;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A worker with {@code timeout: auto} on a real Kafka: learns, stops attempts that hang, and publishes the numbers. */
@Timeout(900) // Only against a hang.
@Tag("long")
class AutoTimeoutIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    @Test
    void attemptsThatHangAreStoppedAfterTheLearnedTimeoutAndTheirItemsAreDone() throws Exception {
        Map<String, String> settings = Map.of(
                "SPILLWAY_DEFAULTS_TIMEOUT", "auto", "SPILLWAY_DEFAULTS_TIMEOUT_MIN", "10s",
                "SPILLWAY_DEFAULTS_BACKOFF_BASE", "100ms");
        RecordingHandler handler = new RecordingHandler(RecordingHandler::takePayloadMillis);
        try (DeliveryScene scene = new DeliveryScene(
                kafka.bootstrapServers(), kafka.prefix(), directory, settings).withRouter()) {
            scene.startWorker("worker-1", handler);
            handler.awaitDone(scene.send("usual", 4_000, i -> "5"));
            ConcurrentLinkedQueue<Long> hungMillis = new ConcurrentLinkedQueue<>();
            handler.behave(delivery -> {
                if (delivery.attempt() == 1) {
                    long start = System.nanoTime();
                    try {
                        Thread.sleep(60_000);
                    } finally {
                        hungMillis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
                    }
                }
                return Outcome.done();
            });
            List<String> hanging = scene.send("hanging", 10, i -> "5");
            handler.awaitDone(hanging);
            scene.awaitEmpty();

            // One of them may be a probe of twice the timeout. Without what was learned it would be 30 s.
            assertThat(hungMillis).hasSize(10).allMatch(millis -> millis >= 9_000 && millis < 29_000);
            TimeoutStats stats = awaitPublished(scene, "tenant-3");
            assertThat(stats.samples()).isBetween(350L, 401L);
            assertThat(stats.p50Millis()).isBetween(5.0, 500.0);
            assertThat(stats.timedOut()).isEqualTo(1);
            assertThat(stats.usualMillis()).isEqualTo(stats.autoMillis()).isBetween(10_000L, 20_000L);
        }
    }

    private static TimeoutStats awaitPublished(DeliveryScene scene, String tenant) {
        try (CompactedTopics topics = new CompactedTopics(scene.configuration, InstantSource.system())) {
            return Stream.generate(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                return topics.read(scene.topics.timeouts(), new TimeoutStatuses(InstantSource.system())).of(tenant);
            }).flatMap(byWorker -> byWorker.values().stream()).filter(stats -> stats.timedOut() > 0)
                    .findFirst().orElseThrow();
        }
    }
}
