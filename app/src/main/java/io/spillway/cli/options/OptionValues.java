package io.spillway.cli.options;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.PointInTime;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.view.ViewContent;
import java.time.Instant;
import java.util.OptionalLong;

/** Checks of option values. Each throws {@link CommandFailure} as wrong usage. */
public final class OptionValues {
    private static final String NAME = "1 to " + ItemLimits.MAX_NAME_LENGTH + " of A-Z a-z 0-9 . _ -";

    private OptionValues() {}

    /** Requires the name of a tenant or workload. */
    public static void requireName(String option, String name) {
        if (!ItemLimits.isName(name)) {
            throw CommandFailure.usage(option + " " + Printable.of(name) + ": must be " + NAME);
        }
    }

    /** Requires the name of a tenant, or {@link LedgerOwner#NONE} for records without one. */
    public static void requireOwner(String option, String name) {
        if (!name.equals(LedgerOwner.NONE) && !ItemLimits.isName(name)) {
            throw CommandFailure.usage(
                    option + " " + Printable.of(name) + ": must be " + NAME + ", or " + LedgerOwner.NONE);
        }
    }

    /** Requires the name of a tenant, or {@code *} for all tenants. */
    public static void requireNameOrAll(String option, String name) {
        if (!name.equals(ViewContent.ALL_TENANTS) && !ItemLimits.isName(name)) {
            throw CommandFailure.usage(option + " " + Printable.of(name) + ": must be * or " + NAME);
        }
    }

    /** Requires a number in a range; {@code rest} ends the message. */
    public static void requireRange(String option, long value, long least, long most, String rest) {
        if (value < least || value > most) {
            throw CommandFailure.usage(option + " " + value + ": must be " + least + " to " + most + rest);
        }
    }

    /** Requires the name of one tenant. */
    public static void requireOneTenant(String tenant) {
        requireNameOrAll("tenant", tenant);
        if (tenant.equals(ViewContent.ALL_TENANTS)) {
            throw CommandFailure.usage("tenant *: must be one tenant, because not all tenants can have dedicated "
                    + "partitions");
        }
    }

    /** Returns a time as JSON has it: ISO 8601 in UTC; null for none. */
    public static String isoOf(OptionalLong millis) {
        return millis.isPresent() ? Instant.ofEpochMilli(millis.getAsLong()).toString() : null;
    }

    /** Returns the time of an option, in epoch milliseconds; empty if the option is absent (null). */
    public static OptionalLong millisOf(String option, String time, long nowMillis) {
        try {
            return time == null ? OptionalLong.empty() : OptionalLong.of(PointInTime.parseMillis(time, nowMillis));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(option + " " + Printable.of(time) + ": " + e.getMessage());
        }
    }
}
