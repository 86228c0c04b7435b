package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The time that a replayed item has, wherever in the run it is. */
class ReplayTest {
    private static final long NOW_MILLIS = 1_795_248_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;

    private final DeadLetter letter = DeadLetterSamples.letter(0, 7, "acme", "a", NOW_MILLIS, new byte[0]);
    private final Replay replay = new Replay(
            new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue()), NOW_MILLIS, 100);

    @ParameterizedTest(name = "number {1} with {0}: due in {2} h")
    @CsvSource({
        "EXPIRE_AFTER, 0,         0",
        "EXPIRE_AFTER, 360000,    1",
        "EXPIRE_AFTER, 500000,    1.3888",
        "TTL,          360000,    1",
        "EXPIRE_AFTER, 259200000, 720",
    })
    void a_replayed_item_has_all_its_time_from_when_it_is_due(PolicyField limit, long index, double dueHours) {
        TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET.with(limit, "1h"));
        List<ProducerRecord<byte[], byte[]>> replayed = replay.successors(letter, index);
        assertThat(replayed).hasSize(1);
        long dueMillis = ItemHeaders.number(replayed.getFirst().headers(), ItemHeaders.DUE).orElseThrow();
        assertThat(dueMillis).isBetween(NOW_MILLIS + (long) (dueHours * HOUR_MILLIS),
                NOW_MILLIS + (long) (dueHours * HOUR_MILLIS) + 1_000);

        ItemTimes waiting = ItemHeaders.times((ParsedRecord.Item) letter.reading(), replayed.getFirst().headers(),
                replayed.getFirst().timestamp(), NOW_MILLIS);
        assertThat(ItemEnds.next(waiting, policies.of("acme")).orElseThrow().atMillis())
                .isEqualTo(dueMillis + HOUR_MILLIS);
        assertThat(ReplayForecast.of(replay, policies, new Sweeps()).of(letter, index))
                .isEqualTo(ReplayForecast.Result.WORK);
    }
}
