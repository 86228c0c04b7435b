package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.routing.Route;
import java.util.List;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Coverage-guided fuzzing of the item reader. A normal test run tries the stored inputs of
 * {@code ItemReaderFuzzTestInputs} in the test resources, including all findings so far.
 * {@code JAZZER_FUZZ=1 mvn test -Dtest='ItemReaderFuzzTest#METHOD'} searches for more, one method at a time.
 */
class ItemReaderFuzzTest {
    private static final byte[] PREFIX = ItemBytes.afterPrefix().bytes();
    private static final List<String> NAMES = List.of(
            ItemHeaders.TENANT, ItemHeaders.ID, ItemHeaders.ENQUEUED_AT, ItemHeaders.WORKLOAD, ItemHeaders.ATTEMPT,
            ItemHeaders.ORIGIN, "spillway-", "traceparent", "");

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), 100_000);

    /** Raw bytes: the fuzzer must find the prefix itself, and the seed inputs contain it. */
    @FuzzTest(maxDuration = "60s")
    void any_value_without_headers_has_a_result_consistent_with_avro(byte[] value) {
        check(value, new RecordHeaders());
    }

    /** Bytes after a valid prefix, so that every mutation affects the encoding. */
    @FuzzTest(maxDuration = "60s")
    void any_encoding_after_a_valid_prefix_has_a_result_consistent_with_avro(byte[] encoding) {
        byte[] value = new byte[PREFIX.length + encoding.length];
        System.arraycopy(PREFIX, 0, value, 0, PREFIX.length);
        System.arraycopy(encoding, 0, value, PREFIX.length, encoding.length);
        check(value, new RecordHeaders());
    }

    @FuzzTest(maxDuration = "60s")
    void any_value_with_any_headers_has_a_result(FuzzedDataProvider data) {
        Headers headers = new RecordHeaders();
        for (int count = data.consumeInt(0, 6); count > 0; count--) {
            String name = data.consumeInt(0, NAMES.size()) < NAMES.size()
                    ? data.pickValue(NAMES)
                    : data.consumeString(20);
            headers.add(name, data.consumeBoolean() ? data.consumeBytes(300) : null);
        }
        check(data.consumeBoolean() ? data.consumeRemainingAsBytes() : null, headers);
    }

    private void check(byte[] value, Headers headers) {
        switch (reader.read(null, value, headers, Items.TIMESTAMP)) {
            case ParsedRecord.Item item -> {
                assertThat(ItemLimits.isName(item.tenant())).isTrue();
                assertThat(item.workload().isEmpty() || ItemLimits.isName(item.workload())).isTrue();
                if (headers.toArray().length == 0) {
                    assertThat(ItemReaderOracle.decode(value, "found by fuzzing")).isEqualTo(item);
                }
            }
            case ParsedRecord.Unreadable unreadable -> {
                assertThat(new Route.DeadLetter(unreadable.reason(), unreadable.detail()).detail())
                        .matches("[ -~]{1,200}");
                assertThat(unreadable.detail()).hasSizeLessThan(200);
            }
        }
    }
}
