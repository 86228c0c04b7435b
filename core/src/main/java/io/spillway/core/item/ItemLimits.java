package io.spillway.core.item;

/** Limits of an item's names and sizes. They are part of the public format. */
public final class ItemLimits {
    /** Maximum characters of a tenant or a workload. */
    public static final int MAX_NAME_LENGTH = 128;
    /** What a tenant or a workload may be, for messages. */
    public static final String NAME_ALLOWED =
            "1 to " + MAX_NAME_LENGTH + " printable ASCII characters, without space and !\"'()*,/<>\\`";
    /** Maximum characters of an id. */
    public static final int MAX_ID_LENGTH = 256;
    /** Maximum headers of an ingress record: enough for tracing and gateways, few enough to copy at each hop. */
    public static final int MAX_HEADERS = 1_000;
    /** Maximum headers of a lane record: those from ingress plus Spillway's own. */
    public static final int MAX_LANE_HEADERS = MAX_HEADERS + 32;

    /** Maximum time from now until the first attempt that a producer may set, in milliseconds: 14 days. */
    public static final long MAX_AHEAD_MILLIS = 14L * 24 * 60 * 60 * 1000;

    /** Earliest plausible time: the year 2000, epoch milliseconds. */
    public static final long EARLIEST_MILLIS = 946_684_800_000L;
    /** Latest plausible time: the end of the year 9999, epoch milliseconds. */
    public static final long LATEST_MILLIS = 253_402_300_799_999L;

    /** Priority of an item that names none, as in the Java Message Service; 0 is the least urgent. */
    public static final int NORMAL_PRIORITY = 4;
    /** Priority of the most urgent items of a workload. */
    public static final int MAX_PRIORITY = 9;
    /** Priority from which on an item does not wait behind the backlog of its own tenant. */
    public static final int URGENT_PRIORITY = 8;

    /**
     * Printable ASCII that no name has, so that one in quotes needs no escape in shells, YAML, JSON and labels. A slash
     * separates tenant and workload in keys; names with an asterisk, parenthesis or exclamation mark are Spillway's.
     */
    private static final String NOT_IN_NAMES = "!\"'()*,/<>\\`";

    private ItemLimits() {}

    /**
     * Returns whether {@code length} bytes, any number, are a valid tenant or workload: {@value #NAME_ALLOWED}.
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

    /** Returns whether the text is a valid tenant or workload; false for null. */
    public static boolean isName(String text) {
        return text != null
                && !text.isEmpty()
                && text.length() <= MAX_NAME_LENGTH
                && text.chars().allMatch(ItemLimits::isNameCharacter);
    }

    /**
     * Returns whether {@code length} bytes, any number, are a valid id: 1 to {@link #MAX_ID_LENGTH} printable ASCII
     * characters, space to tilde.
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

    /**
     * Returns whether a number can be epoch milliseconds: from 2000 to 9999. The present time in seconds is before, in
     * micro- or nanoseconds after that.
     */
    public static boolean isTime(long millis) {
        return millis >= EARLIEST_MILLIS && millis <= LATEST_MILLIS;
    }

    private static boolean isPlain(int c) {
        return c >= 'a' && c <= 'z'
                || c >= '0' && c <= '9'
                || c >= 'A' && c <= 'Z'
                || c == '.' || c == '_' || c == '-';
    }

    private static boolean isNameCharacter(int c) {
        return isPlain(c) || c > ' ' && c <= '~' && NOT_IN_NAMES.indexOf(c) < 0;
    }
}
