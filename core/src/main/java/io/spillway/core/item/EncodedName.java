package io.spillway.core.item;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Names of tenants and workloads made from any text, and back: what a name may not contain is percent-encoded, byte by
 * byte of its UTF-8 (RFC 3986, section 2.1), and so is the percent sign. Different texts have different names.
 */
public final class EncodedName {
    private static final char MARK = '%';
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private EncodedName() {}

    /** Returns the name of a text, which is the text itself if it is a name without a percent sign. */
    public static String of(String text) {
        if (text.indexOf(MARK) < 0 && ItemLimits.isName(text)) {
            return text;
        }
        StringBuilder name = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char character = (char) (each & 0xff);
            if (character != MARK && character < 0x80 && ItemLimits.isName(String.valueOf(character))) {
                name.append(character);
            } else {
                HEX.toHexDigits(name.append(MARK), each);
            }
        }
        return name.toString();
    }
}
