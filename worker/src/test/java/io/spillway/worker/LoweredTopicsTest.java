package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.Turn;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moves of items with turns after the topics of some lanes were lowered to 1,000 bytes. */
class LoweredTopicsTest {
    private final CoreScene scene = new CoreScene(1 << 20);
    private final OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);

    /** Otherwise the next item of its order key goes, and it is attempted after it. */
    @ParameterizedTest(name = "{0} lowered, two dead letters of {1} and {2} bytes: {3}")
    @CsvSource({
        "dead-letter,   0,   0, 'dead 0, turn 0 has ended, dead 1, turn 1 has ended'",
        "dead-letter, 5e3,   0, 'delay 0, dead 1, turn 1 has ended'",
        "dead-letter,   0, 5e3, 'dead 0, turn 0 has ended, delay 1'",
        "dead-letter, 5e3, 5e3, 'delay 0, delay 1'",
        "delay,       5e3,   0, 'dead 0, turn 0 has ended, dead 1, turn 1 has ended'",
    })
    void a_dead_letter_that_goes_on_keeps_its_turn(String lowered, double first, double second, String expected) {
        scene.commit();
        List<Attempt> running = scene.poll(owned, List.of(item(0, first), item(1, second)));

        running.forEach(attempt -> scene.core.ended(attempt, Outcome.dead("never")));
        lower(lowered);

        assertThat(moves()).isEqualTo(expected);
        assertThat(moves()).as("of the next batch").isEqualTo(expected);
    }

    @Test
    void a_dead_letter_without_a_turn_leaves_the_turn_of_the_item_behind_it() {
        scene.commit();
        ConsumerRecord<byte[], byte[]> large = item(0, 5_000);
        large.headers().remove(ItemHeaders.TURN);
        List<Attempt> running = scene.poll(owned, List.of(large, item(1, 0)));

        scene.core.ended(running.get(0), Outcome.dead("never"));
        scene.core.ended(running.get(1), Outcome.done());
        lower("dead-letter");

        assertThat(moves()).isEqualTo("delay 0, turn 1 has ended");
    }

    @Test
    void a_retry_that_becomes_a_dead_letter_and_then_goes_on_keeps_its_turn() {
        scene.commit();
        Attempt attempt = scene.poll(owned, List.of(item(0, 5_000))).getFirst();
        scene.core.ended(attempt, Outcome.retry("no"));
        lower("delay");
        assertThat(moves()).isEqualTo("dead 0, turn 0 has ended");
        scene.lowered.clear();
        lower("dead-letter");
        assertThat(moves()).isEqualTo("delay 0");
    }

    @Test
    void a_claim_behind_a_dead_letter_that_goes_on_holds_from_its_commit_on() {
        scene.commit();
        List<Attempt> running = scene.poll(owned, List.of(item(0, 5_000), item(1, 0)));
        scene.core.ended(running.getFirst(), Outcome.dead("never"));
        lower("dead-letter");
        scene.advance(5_000);
        CommitBatch batch = scene.core.batch();
        assertThat(batch.parts().get(owned).moves()).extracting(LoweredTopicsTest::describe)
                .containsExactly("delay 0", "delay 1");
        assertThat(running.getLast().isClaimHeld()).isFalse();
        scene.core.committed(batch);
        assertThat(running.getLast().isClaimHeld()).isTrue();
    }

    private void lower(String lane) {
        scene.lowered.put("spillway." + lane, 1_000);
        scene.limits.explain(new RecordTooLargeException());
    }

    /** Returns the moves of a batch that is not committed. */
    private String moves() {
        CommitBatch batch = scene.core.batch();
        scene.core.notCommitted(batch);
        return String.join(", ", batch.parts().get(owned).moves().stream().map(LoweredTopicsTest::describe).toList());
    }

    private static String describe(ProducerRecord<byte[], byte[]> move) {
        String item = Turn.of(move.headers()).map(turn -> Long.toString(turn.offset())).orElse("0");
        Lane lane = Stream.of(Lane.values()).filter(each -> move.topic().endsWith("." + each.label())).findFirst()
                .orElseThrow();
        return Turn.isNotice(move.headers()) ? "turn " + item + " has ended"
                : (lane == Lane.DEAD_LETTER ? "dead" : lane.label()) + " " + item;
    }

    private ConsumerRecord<byte[], byte[]> item(long offset, double bytes) {
        ConsumerRecord<byte[], byte[]> item = CoreScene.item(owned, offset, "acme", (int) bytes);
        new Turn(3, new KeyHash(1, 2), offset).set(item.headers());
        return item;
    }
}
