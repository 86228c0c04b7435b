package io.spillway.core.settings;

import io.spillway.core.item.Printable;
import java.util.regex.Pattern;

/** An unknown key or a value that is not allowed. The message is one line: the key, the value and what is allowed. */
public final class InvalidSettingException extends RuntimeException {
    /** Words in a key that say that its value must not be shown; configuration errors end up in logs and tickets. */
    private static final Pattern SECRET_KEY = Pattern.compile(
            "passw|passphrase|secret|jaas|token|credential|auth[._]?user|(keystore|private|access|api|admin)[._-]?key",
            Pattern.CASE_INSENSITIVE);

    /**
     * Names the setting.
     *
     * @param key     where it stands, for example {@code topics.partitions}
     * @param value   as it was written; escaped here, and hidden where the key looks like that of a secret
     * @param allowed for example {@code must be 1 to 10000}
     */
    public InvalidSettingException(String key, Object value, String allowed) {
        this(lineOf(key, value, allowed));
    }

    /**
     * Says it in full.
     *
     * @param line one line, already escaped
     */
    public InvalidSettingException(String line) {
        super(line);
    }

    /** The same with the place where it was written before it, already escaped. */
    public static InvalidSettingException in(String place, String key, Object value, String allowed) {
        return new InvalidSettingException(place + lineOf(key, value, allowed));
    }

    private static String lineOf(String key, Object value, String allowed) {
        String shown = SECRET_KEY.matcher(key).find() ? "***" : Printable.of(String.valueOf(value));
        return Printable.of(key) + " = " + shown + ": " + allowed;
    }
}
