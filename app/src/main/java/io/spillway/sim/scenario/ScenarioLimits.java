package io.spillway.sim.scenario;

/** Limits of a scenario, so that a typing error ends in a message and not in a week of simulation. */
public final class ScenarioLimits {
    public static final long DAY_MILLIS = 86_400_000;
    /** Longest run: 31 days. */
    public static final long MAX_RUN_MILLIS = 31 * DAY_MILLIS;
    /** Most tenants in all groups together. */
    public static final int MAX_TENANTS = 2_000_000;
    /** Most items waiting at one time, about 100 bytes each. A run that exceeds it ends with an error. */
    public static final long MAX_WAITING = 50_000_000;
    /** Most items per second and group. */
    public static final double MAX_RATE = 1_000_000;

    private ScenarioLimits() {}
}
