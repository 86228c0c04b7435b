package io.spillway.core.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Text of files as editors and shells of all systems write it: UTF-8, or UTF-16 with a byte order mark. */
public final class FileText {
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private FileText() {}

    /**
     * Decodes a whole file. The text has no byte order mark; its line ends are as they were.
     *
     * @throws IllegalArgumentException for anything else than text; the message names the line, and quotes nothing
     */
    public static String of(byte[] bytes) {
        Charset charset = isUtf16(bytes) ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8;
        CharsetDecoder decoder = charset.newDecoder();
        CharBuffer decoded = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), decoded, true);
        String text = decoded.flip().toString();
        int zero = text.indexOf('\0');
        if (result.isError() || zero >= 0) {
            long line = 1 + text.substring(0, zero < 0 ? text.length() : zero).chars().filter(c -> c == '\n').count();
            throw new IllegalArgumentException("must be text in UTF-8, or in UTF-16 with a byte order mark (line "
                    + line + (zero < 0 ? ")" : " has a zero byte)"));
        }
        return text.isEmpty() || text.charAt(0) != BYTE_ORDER_MARK ? text : text.substring(1);
    }

    /** Returns whether a text begins with the byte order mark of UTF-16. */
    public static boolean isUtf16(byte[] bytes) {
        return startsWith(bytes, 0xFE, 0xFF) || startsWith(bytes, 0xFF, 0xFE);
    }

    /** Returns the size of the byte order mark of UTF-8 with which a text begins, 0 or 3. */
    public static int utf8MarkBytes(byte[] bytes) {
        return startsWith(bytes, 0xEF, 0xBB, 0xBF) ? 3 : 0;
    }

    private static boolean startsWith(byte[] bytes, int... first) {
        for (int i = 0; i < first.length; i++) {
            if (bytes.length <= i || (bytes[i] & 0xFF) != first[i]) {
                return false;
            }
        }
        return true;
    }
}
