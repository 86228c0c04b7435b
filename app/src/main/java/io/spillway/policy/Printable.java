package io.spillway.policy;

/** Makes words from outside safe for a log line, a header or a message: they cannot forge a line or a field. */
public final class Printable {
    /** Most characters that come out; longer words end in three dots. */
    public static final int MAX_LENGTH = 200;

    private Printable() {}

    /**
     * The text with everything but printable ASCII as {@code \\uXXXX}, and a backslash doubled.
     *
     * @param text from outside; null comes out as {@code null}
     * @return at most {@link #MAX_LENGTH} characters
     */
    public static String of(String text) {
        if (text == null) {
            return "null";
        }
        StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            String piece = c == '\\' ? "\\\\"
                    : c >= ' ' && c <= '~' ? String.valueOf(c)
                    : String.format("\\u%04x", (int) c);
            if (out.length() + piece.length() > MAX_LENGTH - 3) {
                return out.append("...").toString();
            }
            out.append(piece);
        }
        return out.toString();
    }
}
