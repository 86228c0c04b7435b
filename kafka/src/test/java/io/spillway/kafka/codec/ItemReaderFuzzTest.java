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
 * Coverage-guided fuzzing of the item reader. In an ordinary test run the inputs under
 * {@code src/test/resources/io/spillway/topic/ItemReaderFuzzTestInputs} are tried, among them every finding so far;
 * {@code JAZZER_FUZZ=1 mvn test -Dtest='ItemReaderFuzzTest#METHOD'} looks for more, one method at a time.
 */
class ItemReaderFuzzTest {
    private static final byte[] PREFIX = ItemBytes.afterPrefix().bytes();
    private static final List<String> NAMES = List.of(
            ItemHeaders.TENANT, ItemHeaders.ID, ItemHeaders.ENQUEUED_AT, ItemHeaders.WORKLOAD, ItemHeaders.ATTEMPT,
            ItemHeaders.ORIGIN, "spillway-", "traceparent", "");

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), 100_000);

    /** The bytes as they come: magic and fingerprint are for the fuzzer to find, and the seeds have them. */
    @FuzzTest(maxDuration = "60s")
    void any_value_without_headers_is_answered_as_avro_would(byte[] value) {
        check(value, new RecordHeaders());
    }

    /** Behind a good prefix, so that every byte the fuzzer changes is one of the encoding. */
    @FuzzTest(maxDuration = "60s")
    void any_encoding_behind_a_good_prefix_is_answered_as_avro_would(byte[] encoding) {
        byte[] value = new byte[PREFIX.length + encoding.length];
        System.arraycopy(PREFIX, 0, value, 0, PREFIX.length);
        System.arraycopy(encoding, 0, value, PREFIX.length, encoding.length);
        check(value, new RecordHeaders());
    }

    @FuzzTest(maxDuration = "60s")
    void any_value_with_any_headers_is_answered(FuzzedDataProvider data) {
        Headers headers = new RecordHeaders();
        for (int count = data.consumeInt(0, 6); count > 0; count--) {
            String name = data.consumeInt(0, NAMES.size()) < NAMES.size() ? data.pickValue(NAMES) : data.consumeString(20);
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
                assertThat(new Route.DeadLetter(unreadable.reason(), unreadable.detail()).detail()).matches("[ -~]{1,200}");
                assertThat(unreadable.detail()).hasSizeLessThan(200);
            }
        }
    }
}
