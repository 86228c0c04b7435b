package io.spillway.kafka.codec;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Decimal number in a header of Spillway. */
public final class HeaderNumber {
    private static final int MAX_DIGITS = 20;

    private HeaderNumber() {}

    /**
     * Returns the number in the last header of this name; empty if there is none, or its value is not a 64-bit integer.
     */
    public static OptionalLong of(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        if (header == null || header.value() == null || header.value().length > MAX_DIGITS) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(new String(header.value(), StandardCharsets.ISO_8859_1)));
        } catch (NumberFormatException notANumber) {
            return OptionalLong.empty();
        }
    }
}
