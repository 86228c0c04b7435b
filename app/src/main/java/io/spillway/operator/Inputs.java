package io.spillway.operator;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.PointInTime;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.OptionalLong;

/** Checks of what operators give, as options of commands. Each throws {@link OperatorException}. */
public final class Inputs {
    private Inputs() {}

    /** Requires the name of a tenant or workload. */
    public static void requireName(String option, String name) {
        if (!ItemLimits.isName(name)) {
            throw new OperatorException(option + " " + Printable.of(name) + ": must be " + ItemLimits.NAME_ALLOWED);
        }
    }

    /** Requires the name of a tenant, or {@link LedgerOwner#NONE} for records without one. */
    public static void requireOwner(String option, String name) {
        if (!name.equals(LedgerOwner.NONE) && !ItemLimits.isName(name)) {
            throw new OperatorException(option + " " + Printable.of(name) + ": must be " + ItemLimits.NAME_ALLOWED
                    + ", or " + LedgerOwner.NONE);
        }
    }

    /** Requires the name of a tenant, or {@code *} for all tenants. */
    public static void requireNameOrAll(String option, String name) {
        if (!name.equals(ViewContent.ALL_TENANTS) && !ItemLimits.isName(name)) {
            throw new OperatorException(
                    option + " " + Printable.of(name) + ": must be * or " + ItemLimits.NAME_ALLOWED);
        }
    }

    /** Requires the name of a tenant, or what the tenants of a service begin with and a final {@code *}. */
    public static void requireTenants(String option, String text) {
        if (!StoredKey.isTenants(text)) {
            requireName(option, text);
        }
    }

    /** Requires the name of one tenant. */
    public static void requireOneTenant(String tenant) {
        requireNameOrAll("tenant", tenant);
        if (tenant.equals(ViewContent.ALL_TENANTS)) {
            throw new OperatorException("tenant *: must be one tenant, because not all tenants can have dedicated "
                    + "partitions");
        }
    }

    /** Requires the name of a tenant, {@code *}, or the key of a destination, which cannot have all settings. */
    static void requireOwnerOf(Collection<PolicyField> settings, String key) {
        if (!TenantPolicies.isDestination(key)) {
            requireNameOrAll("tenant", key);
            return;
        }
        String name = TenantPolicies.nameOf(key);
        if (!NamedDestination.isName(name)) {
            throw new OperatorException(
                    "destination " + Printable.of(name) + ": must be " + NamedDestination.NAME_ALLOWED);
        }
        settings.stream().filter(field -> !PolicyField.OF_DESTINATIONS.contains(field)).findFirst()
                .ifPresent(field -> {
                    throw new OperatorException("--" + field.flag() + ": a destination cannot have it");
                });
    }

    /** Requires the id of an item, a sweep or a cancel. */
    public static void requireId(String option, String id) {
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        if (!ItemLimits.isId(bytes, 0, bytes.length)) {
            throw new OperatorException(option + " " + Printable.of(id) + ": must be 1 to "
                    + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
        }
    }

    /** Requires a number in a range; {@code rest} ends the message. */
    public static void requireRange(String option, long value, long least, long most, String rest) {
        if (value < least || value > most) {
            throw new OperatorException(option + " " + value + ": must be " + least + " to " + most + rest);
        }
    }

    /** Returns a duration above 0, in milliseconds. */
    public static long durationMillis(String option, String text, long mostMillis) {
        try {
            long millis = Durations.parseMillis(text);
            if (millis > 0 && millis <= mostMillis) {
                return millis;
            }
        } catch (IllegalArgumentException e) {
            // The message below names the limit too.
        }
        throw new OperatorException(option + " " + Printable.of(text) + ": must be a duration such as 90d, at most "
                + Durations.format(mostMillis));
    }

    /** Returns a point in time, epoch milliseconds. */
    public static long millisOf(String option, String time, long nowMillis) {
        try {
            return PointInTime.parseMillis(time, nowMillis);
        } catch (IllegalArgumentException e) {
            throw new OperatorException(option + " " + Printable.of(time) + ": " + e.getMessage());
        }
    }

    /** Returns a time as JSON has it: ISO 8601 in UTC. */
    public static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    /** Returns a time as {@link #iso} does; null for none. */
    public static String isoOrNull(OptionalLong millis) {
        return millis.isPresent() ? iso(millis.getAsLong()) : null;
    }
}
