package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TurnTest {
    private static final Turn TURN = new Turn(7, new KeyHash(-1, 3), 1_234_567);

    @Test
    void a_turn_is_read_as_it_was_set() {
        Headers headers = new RecordHeaders();
        TURN.set(headers);
        assertThat(ItemHeaders.text(headers, ItemHeaders.TURN)).contains("7-ffffffffffffffff0000000000000003-1234567");
        assertThat(Turn.of(headers)).contains(TURN);
        assertThat(Turn.hasPassed(headers)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "once", "7", "7-ff-1", "-1-ffffffffffffffff0000000000000003-1",
        "7-ffffffffffffffff0000000000000003-", "7-ffffffffffffffff0000000000000003-99999999999999999999"})
    void any_other_text_is_no_turn(String text) {
        Headers headers = new RecordHeaders();
        ItemHeaders.set(headers, ItemHeaders.TURN, text);
        assertThat(Turn.of(headers)).isEmpty();
    }

    @Test
    void a_notice_has_the_turn_and_what_people_read_of_the_item() {
        Headers item = new RecordHeaders();
        TURN.set(item);
        ItemHeaders.set(item, ItemHeaders.ORIGIN, "spillway.ingress-1-2");
        ItemHeaders.set(item, ItemHeaders.ORDER_KEY, "user-1");
        ItemHeaders.set(item, ItemHeaders.ATTEMPT, "3");
        Headers notice = TURN.notice("acme", item, Turn.Result.DEAD);
        assertThat(Turn.isNotice(notice)).isTrue();
        assertThat(Turn.isDead(notice)).isTrue();
        assertThat(Turn.of(notice)).contains(TURN);
        assertThat(ItemHeaders.text(notice, ItemHeaders.TENANT)).contains("acme");
        assertThat(ItemHeaders.text(notice, ItemHeaders.ORDER_KEY)).contains("user-1");
        assertThat(notice.lastHeader(ItemHeaders.ATTEMPT)).isNull();
    }

    @Test
    void names_differ_by_each_part_and_are_spread_over_the_partitions() {
        assertThat(Set.of(KeyHash.ofKey("a", "", "bc"), KeyHash.ofKey("ab", "", "c"), KeyHash.ofKey("a", "b", "c"),
                KeyHash.ofId("a", "", "bc"), KeyHash.ofId("a", "b", "c"))).hasSize(5);
        Set<Integer> partitions = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            partitions.add(KeyHash.ofKey("acme", "", "key-" + i).partition(12));
        }
        assertThat(partitions).hasSize(12);
    }
}
