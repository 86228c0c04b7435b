package io.spillway.sim.scenario;

import io.spillway.core.settings.Numbers;

/** Limits of a scenario, so that a typing error ends in a message and not in a week of simulation. */
public final class ScenarioLimits {
    public static final long DAY_MILLIS = 86_400_000;
    /** Longest run: 31 days. */
    public static final long MAX_RUN_MILLIS = 31 * DAY_MILLIS;
    /** Most tenants in all groups together. */
    public static final int MAX_TENANTS = 2_000_000;
    public static final int MAX_WORKERS = 1_000;
    /** Most items waiting at one time, about 100 bytes each. A run that exceeds it ends with an error. */
    public static final long MAX_WAITING = 50_000_000;
    /** Fewest items per second and tenant. */
    public static final double MIN_RATE = 1e-6;
    /** Most items per second and tenant. */
    public static final double MAX_RATE = 1_000_000;
    /** Least factor of a slowdown, and of the speed of a recording. */
    public static final double MIN_FACTOR = 1e-3;
    /** Highest factor of a spike or a slowdown. */
    public static final double MAX_FACTOR = 100_000;
    /** Highest factor of the speed of a recording. */
    public static final double MAX_SPEED = 1_000_000;

    private ScenarioLimits() {}

    static void require(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    name + " = " + Numbers.plain(value) + ": must be from " + Numbers.plain(least) + " to "
                            + Numbers.plain(most));
        }
    }
}
