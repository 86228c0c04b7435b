package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.local.EmbeddedKafka;
import io.spillway.policy.Lane;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerRestartIT {
    private static final int ITEMS = 6_000;

    @TempDir
    private Path directory;

    @Test
    void every_item_is_done_once_when_the_broker_restarts_under_router_and_worker() throws Exception {
        RecordingHandler handler = new RecordingHandler(RecordingHandler::takeAsTold);
        EmbeddedKafka kafka = EmbeddedKafka.start(directory.resolve("kafka"), 0);
        int port = kafka.port();
        String address = kafka.bootstrapServers();
        try (DeliveryScene scene = new DeliveryScene(address, "restart", directory, Map.of()).withRouter()) {
            scene.startWorker("worker", handler);
            List<String> ids = scene.send("item", ITEMS, i -> "5");
            while (handler.doneCount() < ITEMS / 4) {
                LockSupport.parkNanos(10_000_000);
            }
            kafka.close();
            assertThat(handler.doneCount()).as("the broker goes in the middle").isLessThan(ITEMS);
            kafka = EmbeddedKafka.start(directory.resolve("kafka"), port);
            ids.addAll(scene.send("after", 500, i -> "1"));
            handler.awaitDone(ids);
            scene.awaitEmpty();

            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(KafkaUnderTest.readAll(address, scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        } finally {
            kafka.close();
        }
    }
}
