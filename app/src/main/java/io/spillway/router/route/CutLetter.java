package io.spillway.router.route;

import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.LoweredLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Dead letter of a record that is too large even for that lane. Topics with a higher limit, or where compressed records
 * count by their compressed size, can have some; without a letter, the router would stop at each.
 */
final class CutLetter {
    private static final int VALUE_BYTES = 16 * 1024;
    private static final int FIELD_BYTES = 1024;

    private CutLetter() {}

    /** Returns a letter as it is if it has at most so many bytes, else its beginning and the headers of Spillway. */
    static Record<byte[], byte[]> fitting(Record<byte[], byte[]> letter, int maxBytes) {
        long bytes = LoweredLimits.bytes(letter.key(), letter.value(), letter.headers());
        if (bytes <= maxBytes) {
            return letter;
        }
        Map<String, byte[]> kept = new LinkedHashMap<>();
        for (Header header : letter.headers()) {
            if (ItemHeaders.isOfItem(header.key())) {
                kept.put(header.key(), start(header.value(), FIELD_BYTES));
            }
        }
        Headers headers = new RecordHeaders();
        kept.forEach(headers::add);
        headers.add(ItemHeaders.DEAD_CUT_FROM, Long.toString(bytes).getBytes(StandardCharsets.US_ASCII));
        return new Record<>(start(letter.key(), FIELD_BYTES), start(letter.value(), VALUE_BYTES), letter.timestamp(),
                headers);
    }

    private static byte[] start(byte[] bytes, int most) {
        return bytes == null || bytes.length <= most ? bytes : Arrays.copyOf(bytes, most);
    }
}
