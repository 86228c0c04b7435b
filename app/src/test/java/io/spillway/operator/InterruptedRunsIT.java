package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.DeadLetterFixture;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import io.spillway.runtime.CompactedTopics;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs that are cancelled, or end with their gateway, on a real Kafka. */
@Timeout(900) // Against a hang; nothing is measured.
class InterruptedRunsIT {
    private static final int COUNT = 4_000;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void each_dead_letter_is_replayed_once_whatever_ends_the_runs() throws Exception {
        new DeadLetterFixture(kafka).bury(COUNT, i -> "acme");
        Configuration configuration =
                ConfigurationLoader.load(Optional.empty(), DeadLetterFixture.settings(kafka), Map.of());
        Topics topics = new Topics(configuration.queue());

        try (OperatorApi api = api(configuration)) {
            String cancelled = replay(api);
            awaitProgress(api, cancelled);
            api.post("/runs/" + cancelled + ":cancel", new byte[0], "zoe");
            JsonNode end = awaitEnd(api, cancelled);
            assertThat(end.get("state").textValue()).as(end.toString()).isIn("cancelled", "done");
            assertReplayedOnce(topics, end.get("done").longValue());
        }
        OperatorApi stopped = api(configuration);
        String interrupted = replay(stopped);
        awaitProgress(stopped, interrupted);
        stopped.close();
        JsonNode end = stopped.get("/runs/" + interrupted, Map.of(), true).orElseThrow();
        assertThat(end.get("state").textValue()).as(end.toString()).isIn("cancelled", "done");

        try (OperatorApi api = api(configuration)) {
            assertThat(awaitEnd(api, replay(api)).get("state").textValue()).isEqualTo("done");
        }
        assertReplayedOnce(topics, COUNT);
        ActionLog log = new ActionLog(Integer.MAX_VALUE);
        try (CompactedTopics store = new CompactedTopics(configuration, InstantSource.system())) {
            store.read(topics.actions(), log);
        }
        assertThat(log.newest(10)).as("a start and an end of each").hasSize(6)
                .allMatch(entry -> entry.by().equals("zoe") && entry.action().equals("replay"));
    }

    private void assertReplayedOnce(Topics topics, long count) {
        List<String> origins = kafka.readAll(topics.lane(Lane.DELAY)).stream()
                .map(record -> new String(
                        record.headers().lastHeader(ItemHeaders.ORIGIN).value(), StandardCharsets.UTF_8))
                .toList();
        assertThat(origins).hasSize((int) count).doesNotHaveDuplicates();
    }

    private static OperatorApi api(Configuration configuration) {
        InstantSource clock = InstantSource.system();
        SplittableRandom random = new SplittableRandom();
        return new OperatorApi(
                new KafkaQueue(configuration, clock, () -> new CompactedTopics(configuration, clock)), configuration,
                new ActionLog(10), clock, () -> {
                    synchronized (random) {
                        return random.nextLong();
                    }
                });
    }

    private static String replay(OperatorApi api) throws Exception {
        byte[] body = "{\"kind\":\"replay\",\"rate\":100000}".getBytes(StandardCharsets.UTF_8);
        return api.post("/runs", body, "zoe").orElseThrow().json().get("id").textValue();
    }

    private static void awaitProgress(OperatorApi api, String id) {
        while (run(api, id).get("done").longValue() == 0 && !isEnded(run(api, id))) {
            LockSupport.parkNanos(500_000);
        }
    }

    private static JsonNode awaitEnd(OperatorApi api, String id) {
        while (!isEnded(run(api, id))) {
            LockSupport.parkNanos(2_000_000);
        }
        return run(api, id);
    }

    private static boolean isEnded(JsonNode run) {
        return !List.of("counting", "running").contains(run.get("state").textValue());
    }

    private static JsonNode run(OperatorApi api, String id) {
        return api.get("/runs/" + id, Map.of(), true).orElseThrow();
    }
}
