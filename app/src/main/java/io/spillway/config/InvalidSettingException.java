package io.spillway.config;

import io.spillway.policy.Printable;

/** A setting that is not known or not allowed. The message is one line that names the key, the value and what is allowed. */
public final class InvalidSettingException extends RuntimeException {
    /**
     * Names the setting.
     *
     * @param key     where it stands, for example {@code topics.partitions}
     * @param value   as it was written; escaped here
     * @param allowed for example {@code must be 1 to 10000}
     */
    public InvalidSettingException(String key, Object value, String allowed) {
        this(Printable.of(key) + " = " + Printable.of(String.valueOf(value)) + ": " + allowed);
    }

    /**
     * Says it in full.
     *
     * @param line one line, already escaped
     */
    public InvalidSettingException(String line) {
        super(line);
    }

    static void requireRange(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new InvalidSettingException(key, value, "must be " + min + " to " + max);
        }
    }
}
