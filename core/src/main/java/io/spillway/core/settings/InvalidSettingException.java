package io.spillway.core.settings;

import io.spillway.core.text.Printable;
import java.util.regex.Pattern;

/** Error for an unknown key or an invalid value. The message is one line: the key, the value and what is allowed. */
public final class InvalidSettingException extends RuntimeException {
    /**
     * Matches keys of secrets. Their values are hidden, because configuration errors end up in logs and tickets. The
     * tokens of retry budgets are no secrets.
     */
    private static final Pattern SECRET_KEY = Pattern.compile(
            "passw|passphrase|secret|jaas|(?<!retry|destination)token|credential|auth[._]?user|(keystore|private|access|api|admin)[._-]?key",
            Pattern.CASE_INSENSITIVE);

    /**
     * Creates an error for one setting.
     *
     * @param key     full key, for example {@code topics.partitions}
     * @param value   as written; escaped here, and hidden when the key matches that of a secret
     * @param allowed for example {@code must be 1 to 10000}
     */
    public InvalidSettingException(String key, Object value, String allowed) {
        this(lineOf(key, value, allowed));
    }

    /** Creates an error with a complete message: one line, already escaped. */
    public InvalidSettingException(String line) {
        super(line);
    }

    /** Creates an error for one setting with its location, already escaped, before the key. */
    public static InvalidSettingException in(String location, String key, Object value, String allowed) {
        return new InvalidSettingException(location + lineOf(key, value, allowed));
    }

    private static String lineOf(String key, Object value, String allowed) {
        String shown = SECRET_KEY.matcher(key).find() ? "***" : Printable.of(String.valueOf(value));
        return Printable.of(key) + " = " + shown + ": " + allowed;
    }
}
