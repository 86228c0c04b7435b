package io.spillway.sim.scenario;

/** What a scenario may ask for, so that a slip of the pen ends in an error and not in a week of simulation. */
public final class ScenarioLimits {
    /** Milliseconds of a day. */
    public static final long DAY_MILLIS = 86_400_000;
    /** The longest run: 31 days. */
    public static final long MAX_RUN_MILLIS = 31 * DAY_MILLIS;
    /** Most tenants of all groups together. */
    public static final int MAX_TENANTS = 2_000_000;
    /** Most items waiting at one time; about 100 bytes each. A run that needs more is ended with an error. */
    public static final long MAX_WAITING = 50_000_000;
    /** Most items a second of one group. */
    public static final double MAX_RATE = 1_000_000;

    private ScenarioLimits() {}
}
