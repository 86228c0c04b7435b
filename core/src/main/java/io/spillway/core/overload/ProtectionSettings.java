package io.spillway.core.overload;

/**
 * Settings of the overload protection against tenants without a rate.
 *
 * @param multiple     factor on the other tenants' usual use of hot above which a tenant is an outlier; 0 turns the
 *                     protection off, else 1.5 to 1,000
 * @param targetMillis waiting time in hot above which the lane is behind, 10 to 60,000
 */
public record ProtectionSettings(double multiple, long targetMillis) {
    /** Minimum multiple other than 0: equal tenants differ by as much at random. */
    public static final double LEAST_MULTIPLE = 1.5;
    public static final double MOST_MULTIPLE = 1_000;
    public static final long LEAST_TARGET_MILLIS = 10;
    public static final long MOST_TARGET_MILLIS = 60_000;
    /** Product defaults. */
    public static final ProtectionSettings DEFAULT = new ProtectionSettings(4, 200);
    /** No tenant is contained. */
    public static final ProtectionSettings OFF = new ProtectionSettings(0, 200);

    /** @throws IllegalArgumentException when a value is out of its range; the message names it */
    public ProtectionSettings {
        if (!isMultiple(multiple)) {
            throw new IllegalArgumentException(
                    "multiple = " + multiple + ": must be 0, or from " + LEAST_MULTIPLE + " to " + MOST_MULTIPLE);
        }
        if (targetMillis < LEAST_TARGET_MILLIS || targetMillis > MOST_TARGET_MILLIS) {
            throw new IllegalArgumentException("target = " + targetMillis + "ms: must be from " + LEAST_TARGET_MILLIS
                    + "ms to " + MOST_TARGET_MILLIS + "ms");
        }
    }

    /** Returns whether the number is a valid multiple. */
    public static boolean isMultiple(double number) {
        return number == 0 || number >= LEAST_MULTIPLE && number <= MOST_MULTIPLE;
    }

    /** Returns whether the protection is on. */
    public boolean isOn() {
        return multiple > 0;
    }
}
