package io.spillway.core.overload;

/**
 * When tenants without a rate of their own are contained: while hot is behind its target, whoever is far over the others.
 *
 * @param multiple     how many times what the other tenants usually have in hot is far over; 0 turns the protection off,
 *                     else 1.5 to 1,000
 * @param targetMillis how long work may have to wait in hot before the lane is behind, 10 to 60,000
 */
public record ProtectionSettings(double multiple, long targetMillis) {
    /** The least multiple that is not 0: tenants that are alike differ by as much by chance. */
    public static final double LEAST_MULTIPLE = 1.5;
    /** The greatest multiple. */
    public static final double MOST_MULTIPLE = 1_000;
    /** The least target, milliseconds. */
    public static final long LEAST_TARGET_MILLIS = 10;
    /** The greatest target, milliseconds. */
    public static final long MOST_TARGET_MILLIS = 60_000;
    /** The defaults of the product. */
    public static final ProtectionSettings DEFAULT = new ProtectionSettings(4, 200);
    /** Nobody is contained without a rate. */
    public static final ProtectionSettings OFF = new ProtectionSettings(0, 200);

    /** @throws IllegalArgumentException when a number is out of its range, with its name in the message */
    public ProtectionSettings {
        if (!isMultiple(multiple)) {
            throw new IllegalArgumentException("multiple = " + multiple + ": must be 0, or from " + LEAST_MULTIPLE + " to " + MOST_MULTIPLE);
        }
        if (targetMillis < LEAST_TARGET_MILLIS || targetMillis > MOST_TARGET_MILLIS) {
            throw new IllegalArgumentException("target = " + targetMillis + "ms: must be from " + LEAST_TARGET_MILLIS
                    + "ms to " + MOST_TARGET_MILLIS + "ms");
        }
    }

    /** Whether a number may be the multiple. */
    public static boolean isMultiple(double number) {
        return number == 0 || number >= LEAST_MULTIPLE && number <= MOST_MULTIPLE;
    }

    /** Whether anybody is contained at all. */
    public boolean isOn() {
        return multiple > 0;
    }
}
