package io.spillway.kafka.view;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Request to the shard stage for the tenant that is the record's key, as text: {@code assign} or {@code release}. */
public enum ShardRequest {
    /** Requests a number for the tenant, if it has none. */
    ASSIGN,
    /** Makes the tenant's number free. */
    RELEASE;

    private final byte[] text = name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);

    /** Returns the request in a record, whose value may be null; empty for any other value. */
    public static Optional<ShardRequest> decode(byte[] value) {
        return Arrays.stream(values()).filter(request -> Arrays.equals(request.text, value)).findFirst();
    }

    /** Returns the encoded request. */
    public byte[] encode() {
        return text.clone();
    }
}
