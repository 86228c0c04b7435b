package io.spillway.cli.options;

import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.operator.Inputs;
import java.util.OptionalLong;

/** Checks of option values, in the form in which options have them. */
public final class OptionValues {
    private OptionValues() {}

    /** Requires the name of a tenant or workload. */
    public static void requireName(String option, String name) {
        Inputs.requireName(option, name);
    }

    /** Requires the name of a tenant, or {@link LedgerOwner#NONE} for records without one. */
    public static void requireOwner(String option, String name) {
        Inputs.requireOwner(option, name);
    }

    /** Requires the name of a tenant, or {@code *} for all tenants. */
    public static void requireNameOrAll(String option, String name) {
        Inputs.requireNameOrAll(option, name);
    }

    /** Requires a number in a range; {@code rest} ends the message. */
    public static void requireRange(String option, long value, long least, long most, String rest) {
        Inputs.requireRange(option, value, least, most, rest);
    }

    /** Returns a time as JSON has it: ISO 8601 in UTC; null for none. */
    public static String isoOf(OptionalLong millis) {
        return millis.isPresent() ? Inputs.iso(millis.getAsLong()) : null;
    }

    /** Returns the time of an option, in epoch milliseconds; empty if the option is absent (null). */
    public static OptionalLong millisOf(String option, String time, long nowMillis) {
        return time == null ? OptionalLong.empty() : OptionalLong.of(Inputs.millisOf(option, time, nowMillis));
    }
}
