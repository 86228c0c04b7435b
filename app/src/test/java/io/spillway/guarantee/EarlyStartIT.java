package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.handler.Outcome;
import io.spillway.worker.Worker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Items that start before the router's transaction is committed, which takes two seconds here. */
@Timeout(300) // Only against a hang.
class EarlyStartIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final List<String> ids = new ArrayList<>();
    private final Set<String> early = ConcurrentHashMap.newKeySet();

    @Test
    void items_start_before_the_commit_and_are_done_once_also_when_workers_stop_before_it() throws Exception {
        RecordingHandler handler = new RecordingHandler(delivery -> {
            if (delivery.position().contains(".ingress-")) {
                early.add(delivery.id());
            }
            return Outcome.done();
        });
        try (DeliveryScene scene = new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory,
                Map.of("SPILLWAY_ROUTER_COMMIT_INTERVAL", "2s")).withRouter()) {
            Worker first = scene.startWorker("first", handler);
            // What enters just after a task of the router begins waits for the commit. Not all of them begin at once:
            // each further thread takes over tasks of those that were there before it.
            while (!early.containsAll(send(scene, 5, handler))) {
                early.clear();
            }
            early.clear();
            List<String> last = send(scene, 5, handler);
            assertThat(early).as("of those that are not committed now").containsAll(last);

            first.close();
            scene.startWorker("second", handler);
            scene.awaitEmpty();
            assertThat(handler.breaches(ids)).isEmpty();
            assertThat(handler.calls()).as("no attempt is repeated").isEqualTo(ids.size());
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    private List<String> send(DeliveryScene scene, int count, RecordingHandler handler) throws Exception {
        List<String> sent = scene.send("after-" + ids.size(), count, i -> "1");
        ids.addAll(sent);
        handler.awaitDone(sent);
        return sent;
    }
}
