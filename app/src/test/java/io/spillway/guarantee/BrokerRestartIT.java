package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.campaign.MendedBroker;
import io.spillway.core.item.Lane;
import io.spillway.embed.SpillwayWorker;
import io.spillway.embed.WorkerHealth;
import io.spillway.embedded.BrokerProcess;
import io.spillway.handler.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Only against a hang.
@Tag("long")
class BrokerRestartIT {
    private static final int ITEMS = 6_000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @Test
    void every_item_is_done_once_when_the_broker_restarts_under_router_and_worker() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch restarted = new CountDownLatch(1);
        RecordingHandler handler = new RecordingHandler(delivery -> {
            // The second half waits, so that the broker is restarted before it ends.
            if (calls.incrementAndGet() > ITEMS / 2) {
                restarted.await();
            }
            return RecordingHandler.takePayloadMillis(delivery);
        });
        try (BrokerProcess broker = BrokerProcess.start(MendedBroker.class, directory.resolve("kafka"));
                DeliveryScene scene = new DeliveryScene(
                        broker.bootstrapServers(), "restart", directory, Map.of()).withRouter()) {
            scene.startWorker("worker", handler);
            List<String> ids = scene.send("item", ITEMS, i -> "5");
            while (handler.doneCount() < ITEMS / 4) {
                LockSupport.parkNanos(10_000_000);
            }
            // Killed, not stopped: Kafka 4.3.1 can mark a prepared transaction as complete during a stop before its
            // markers are written. A single node never writes them afterwards, and the lane is blocked.
            broker.kill();
            broker.restart();
            restarted.countDown();
            ids.addAll(scene.send("after", 500, i -> "1"));
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(KafkaUnderTest.readAll(broker.bootstrapServers(), scene.topics.lane(Lane.DEAD_LETTER)))
                    .isEmpty();
        }
    }

    @Test
    void an_embedded_worker_that_ended_for_want_of_kafka_starts_again_when_kafka_does() throws Exception {
        Set<String> done = ConcurrentHashMap.newKeySet();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch killed = new CountDownLatch(1);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (BrokerProcess broker = BrokerProcess.start(MendedBroker.class, directory.resolve("kafka"));
                DeliveryScene scene = new DeliveryScene(
                        broker.bootstrapServers(), "embedded", directory, Map.of()).withRouter();
                SpillwayWorker worker = SpillwayWorker.builder()
                        .kafka(Map.of("bootstrap.servers", broker.bootstrapServers(), "max.block.ms", "2000"))
                        .prefix("embedded")
                        .settings(Map.of("worker.kafkaTimeout", "1s"))
                        .meterRegistry(registry)
                        .handler(delivery -> {
                            running.countDown();
                            killed.await();
                            done.add(delivery.id());
                            return Outcome.done();
                        })
                        .build()) {
            worker.start();
            scene.send("before", 1, i -> "");
            running.await();
            broker.kill();
            killed.countDown();
            while (!worker.health().reason().contains("worker.kafkaTimeout")) {
                LockSupport.parkNanos(10_000_000);
            }
            while (!registry.getMeters().isEmpty()) {
                LockSupport.parkNanos(10_000_000);
            }

            broker.restart();
            scene.send("after", 1, i -> "");
            scene.awaitEmpty();

            assertThat(done).containsExactlyInAnyOrder("before-0", "after-0");
            assertThat(worker.health()).isEqualTo(new WorkerHealth(true, ""));
            assertThat(registry.find("spillway.slots").gauges()).isNotEmpty();
        }
    }
}
