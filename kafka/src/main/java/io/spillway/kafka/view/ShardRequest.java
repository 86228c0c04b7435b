package io.spillway.kafka.view;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** What is asked of the book of shards for the tenant that is the record's key, as text: {@code assign 4} or {@code release}. */
public sealed interface ShardRequest {
    /**
     * A shard of this size, in place of one of another size.
     *
     * @param size slots, 1 or more
     */
    record Assign(int size) implements ShardRequest {}

    /** Its shard is taken back. */
    record Release() implements ShardRequest {}

    /** No request. */
    record Unreadable() implements ShardRequest {}

    /** What is in a record; value may be null. */
    static ShardRequest decode(byte[] value) {
        String text = value == null || value.length > 32 ? "" : new String(value, StandardCharsets.UTF_8);
        if (text.equals("release")) {
            return new Release();
        }
        return Format.ASSIGN.matcher(text).matches()
                ? new Assign(Integer.parseInt(text.substring("assign ".length())))
                : new Unreadable();
    }

    /** The bytes of it. */
    static byte[] encode(ShardRequest request) {
        return switch (request) {
            case Assign assign -> ("assign " + assign.size()).getBytes(StandardCharsets.UTF_8);
            case Release release -> "release".getBytes(StandardCharsets.UTF_8);
            case Unreadable unreadable -> throw new IllegalArgumentException("no request");
        };
    }

    /** How a request is written. */
    final class Format {
        private static final Pattern ASSIGN = Pattern.compile("assign [1-9][0-9]{0,6}");

        private Format() {}
    }
}
