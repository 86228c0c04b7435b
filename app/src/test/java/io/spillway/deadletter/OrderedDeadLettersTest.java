package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.Test;

/** What replay and discard write for a dead letter that has a turn. */
class OrderedDeadLettersTest {
    private static final long NOW_MILLIS = 1_795_248_000_000L;
    private static final Turn TURN = new Turn(3, KeyHash.ofKey("acme", "", "user-1"), 17);

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());

    @Test
    void a_replay_goes_to_the_partition_that_gave_the_turn_and_shows_it() {
        ProducerRecord<byte[], byte[]> replayed = only(new Replay(topics, NOW_MILLIS, 10).successors(letter(TURN), 0));
        assertThat(replayed.topic()).isEqualTo("spillway.delay");
        assertThat(replayed.partition()).isEqualTo(3);
        assertThat(Turn.of(replayed.headers())).contains(TURN);
        assertThat(ItemHeaders.text(replayed.headers(), ItemHeaders.LANE_REASON)).contains("order");
    }

    @Test
    void a_discard_tells_that_partition_that_the_item_has_ended() {
        ProducerRecord<byte[], byte[]> notice = only(new Discard(topics).successors(letter(TURN), 0));
        assertThat(notice.topic()).isEqualTo("spillway.delay");
        assertThat(notice.partition()).isEqualTo(3);
        assertThat(notice.value()).isNull();
        assertThat(Turn.isNotice(notice.headers())).isTrue();
        assertThat(Turn.isDead(notice.headers())).isFalse();
        assertThat(Turn.of(notice.headers())).contains(TURN);
    }

    @Test
    void a_turn_of_a_partition_that_does_not_exist_counts_as_none() {
        DeadLetter letter = letter(new Turn(99, TURN.key(), 17));
        assertThat(new Discard(topics).successors(letter, 0)).isEmpty();
        ProducerRecord<byte[], byte[]> replayed = only(new Replay(topics, NOW_MILLIS, 10).successors(letter, 0));
        assertThat(replayed.partition()).isEqualTo(5);
        assertThat(ItemHeaders.text(replayed.headers(), ItemHeaders.LANE_REASON)).isEmpty();
    }

    @Test
    void a_replay_carries_nothing_of_the_attempts_before_it() {
        DeadLetter letter = letter(TURN);
        List<String> ofAttempts = List.of(ItemHeaders.ATTEMPT, ItemHeaders.MOVES, ItemHeaders.BLAME, ItemHeaders.LOST,
                ItemHeaders.GRANTED_BY, ItemHeaders.LAST_FAILURE);
        ofAttempts.forEach(name -> ItemHeaders.set(letter.record().headers(), name, "2"));
        assertThat(only(new Replay(topics, NOW_MILLIS, 10).successors(letter, 0)).headers())
                .extracting(Header::key).doesNotContainAnyElementsOf(ofAttempts);
    }

    private static DeadLetter letter(Turn turn) {
        DeadLetter letter = DeadLetterSamples.letter(5, 8, "acme", "a", NOW_MILLIS, new byte[0]);
        turn.set(letter.record().headers());
        return letter;
    }

    private static ProducerRecord<byte[], byte[]> only(List<ProducerRecord<byte[], byte[]>> records) {
        assertThat(records).hasSize(1);
        return records.getFirst();
    }
}
