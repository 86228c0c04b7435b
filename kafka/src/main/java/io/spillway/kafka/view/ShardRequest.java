package io.spillway.kafka.view;

import java.nio.charset.StandardCharsets;

/**
 * Request to the shard registry for the tenant that is the record's key, as text: {@code assign 4} or {@code release}.
 */
public sealed interface ShardRequest {
    /** Requests a shard of this many slots, 1 or more, which replaces one of another size. */
    record Assign(int size) implements ShardRequest {}

    /** Releases the tenant's shard. */
    record Release() implements ShardRequest {}

    /** Record that is not a request. */
    record Unreadable() implements ShardRequest {}

    /** Returns the request in a record; the value may be null. */
    static ShardRequest decode(byte[] value) {
        String text = value == null || value.length > 32 ? "" : new String(value, StandardCharsets.UTF_8);
        if (text.equals("release")) {
            return new Release();
        }
        return text.matches("assign [1-9][0-9]{0,6}")
                ? new Assign(Integer.parseInt(text.substring("assign ".length())))
                : new Unreadable();
    }

    /** Returns the encoded request. */
    static byte[] encode(ShardRequest request) {
        return switch (request) {
            case Assign assign -> ("assign " + assign.size()).getBytes(StandardCharsets.UTF_8);
            case Release release -> "release".getBytes(StandardCharsets.UTF_8);
            case Unreadable unreadable -> throw new IllegalArgumentException("an unreadable request cannot be encoded");
        };
    }
}
