package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadLetterFilterTest {
    @ParameterizedTest(name = "tenant {0}, reason {1}, since {2}, until {3}, id {4}: {5}")
    @CsvSource({
        // The dead letter has tenant acme, reason malformed, time 1000 and id a-1.
        ",     ,          ,     ,     ,    true",
        "acme, ,          ,     ,     ,    true",
        "glob, ,          ,     ,     ,    false",
        ",     malformed, ,     ,     ,    true",
        ",     too-large, ,     ,     ,    false",
        ",     ,          1000, ,     ,    true",
        ",     ,          1001, ,     ,    false",
        ",     ,          ,     1000, ,    false",
        ",     ,          ,     1001, ,    true",
        ",     ,          900,  1100, ,    true",
        ",     ,          ,     ,     a-1, true",
        ",     ,          ,     ,     a-2, false",
        "acme, malformed, 1000, 1001, a-1, true",
        "acme, malformed, 1000, 1001, a-2, false",
    })
    void all_conditions_that_are_set_must_apply(
            String tenant, String reason, Long since, Long until, String id, boolean matches) {
        assertThat(filter(tenant, reason, since, until, id)
                .matches(letter(true))).isEqualTo(matches);
    }

    @ParameterizedTest(name = "position {0}: {1}")
    @CsvSource({"0-7, true", "0-8, false", "1-7, false"})
    void a_position_selects_one_dead_letter(String position, boolean matches) {
        DeadLetterFilter filter = filter(null, null, null, null, null).at(Set.of(position));
        assertThat(filter.matches(letter(true))).isEqualTo(matches);
        assertThat(filter.isAll()).isFalse();
    }

    @ParameterizedTest(name = "tenant {0}, since {1}, until {2}: {3}")
    @CsvSource({",,,true", "acme,,,false", ",0,,false", ",,9000000000000,false"})
    void a_dead_letter_without_tenant_and_time_matches_no_tenant_and_no_time_range(
            String tenant, Long since, Long until, boolean matches) {
        assertThat(filter(tenant, null, since, until, null)
                .matches(letter(false))).isEqualTo(matches);
    }

    private static DeadLetterFilter filter(String tenant, String reason, Long since, Long until, String id) {
        return new DeadLetterFilter(Optional.ofNullable(tenant), Optional.ofNullable(reason),
                since == null ? OptionalLong.empty() : OptionalLong.of(since),
                until == null ? OptionalLong.empty() : OptionalLong.of(until), id == null ? Set.of() : Set.of(id),
                Set.of());
    }

    /** Returns a dead letter of the tenant acme with the id a-1, or one that is unreadable and has no time. */
    private static DeadLetter letter(boolean isReadable) {
        ConsumerRecord<byte[], byte[]> record =
                new ConsumerRecord<>("dead-letter", 0, 7, new byte[0], "not an item".getBytes(StandardCharsets.UTF_8));
        Map<String, String> headers = isReadable
                ? Map.of(ItemHeaders.TENANT, "acme", ItemHeaders.ID, "a-1", ItemHeaders.DEAD_REASON, "malformed",
                        ItemHeaders.DEAD_AT, "1000")
                : Map.of(ItemHeaders.DEAD_REASON, "malformed");
        headers.forEach((name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
        return new DeadLetter(
                record, new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE), new ItemDecoder());
    }
}
