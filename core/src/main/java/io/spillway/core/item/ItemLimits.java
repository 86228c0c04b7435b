package io.spillway.core.item;

/** Limits of an item's names and sizes. They are part of the public format. */
public final class ItemLimits {
    /** Most characters of a tenant or a workload. */
    public static final int MAX_NAME_LENGTH = 128;
    /** Most characters of an id. */
    public static final int MAX_ID_LENGTH = 256;
    /** Most headers of a record: enough for any tracing or gateway stack, few enough to copy at every hop. */
    public static final int MAX_HEADERS = 1_000;
    /** Most headers of a record in a lane: those of ingress, and room for ours. */
    public static final int MAX_LANE_HEADERS = MAX_HEADERS + 32;

    private ItemLimits() {}

    /**
     * Whether the bytes are a tenant or a workload: 1 to {@link #MAX_NAME_LENGTH} of {@code A-Z a-z 0-9 . _ -}.
     *
     * @param bytes  ASCII or UTF-8, not null
     * @param offset where the name starts
     * @param length bytes of the name, any value
     */
    public static boolean isName(byte[] bytes, int offset, int length) {
        if (length < 1 || length > MAX_NAME_LENGTH) {
            return false;
        }
        for (int i = offset; i < offset + length; i++) {
            if (!isNameCharacter(bytes[i])) {
                return false;
            }
        }
        return true;
    }

    /** Whether the text is a tenant or a workload; null is none. */
    public static boolean isName(String text) {
        return text != null
                && !text.isEmpty()
                && text.length() <= MAX_NAME_LENGTH
                && text.chars().allMatch(ItemLimits::isNameCharacter);
    }

    /**
     * Whether the bytes are an id: 1 to {@link #MAX_ID_LENGTH} printable ASCII characters, space to tilde.
     *
     * @param bytes  not null
     * @param offset where the id starts
     * @param length bytes of the id, any value
     */
    public static boolean isId(byte[] bytes, int offset, int length) {
        if (length < 1 || length > MAX_ID_LENGTH) {
            return false;
        }
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] < ' ' || bytes[i] > '~') {
                return false;
            }
        }
        return true;
    }

    private static boolean isNameCharacter(int c) {
        return c >= 'a' && c <= 'z'
                || c >= '0' && c <= '9'
                || c >= 'A' && c <= 'Z'
                || c == '.' || c == '_' || c == '-';
    }
}
