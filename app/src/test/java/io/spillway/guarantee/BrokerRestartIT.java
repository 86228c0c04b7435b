package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.embedded.BrokerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Only against a hang.
class BrokerRestartIT {
    private static final int ITEMS = 6_000;

    @TempDir
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
        try (BrokerProcess broker = BrokerProcess.start(directory.resolve("kafka"));
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
}
