package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Range;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommittedOffsetsCodecTest {
    private static final long AT = 1_800_000_000_000L;

    @Test
    void an_entry_is_read_as_it_was_written() {
        List<Range> ranges = List.of(new Range(0, IngressAccount.UNKNOWN, 0), new Range(7, 1L << 50, 1L << 51));
        byte[] entry = CommittedOffsetsCodec.encode(ranges, AT);
        assertThat(CommittedOffsetsCodec.isOne(entry)).isTrue();
        assertThat(CommittedOffsetsCodec.decode(entry)).isEqualTo(ranges);
        assertThatThrownBy(() -> LedgerCodec.read(entry, (tenant, from, counts) -> {}))
                .as("an earlier version skips it").isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void no_other_bytes_are_an_entry() {
        assertThat(CommittedOffsetsCodec.isOne(null)).isFalse();
        assertThat(CommittedOffsetsCodec.isOne(new byte[9])).isFalse();
        assertThat(CommittedOffsetsCodec.isOne(new byte[20])).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 1", "10000, 0, 1", "0, -2, 1", "0, 2, 1", "0, -1, -1"})
    void ranges_that_cannot_be_are_refused(int partition, long from, long to) {
        byte[] entry = CommittedOffsetsCodec.encode(List.of(new Range(partition, from, to)), AT);
        assertThatThrownBy(() -> CommittedOffsetsCodec.decode(entry))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("invalid range");
    }
}
