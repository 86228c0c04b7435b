package io.spillway.sim.scenario;

/** Arrival process of a group of tenants. */
public sealed interface Arrivals {
    /**
     * Evenly spaced items, one tenant of the group after the other.
     *
     * @param perSecond items per second and tenant
     */
    record Constant(double perSecond) implements Arrivals {
        public Constant {
            ScenarioLimits.require("rate", perSecond, ScenarioLimits.MIN_RATE, ScenarioLimits.MAX_RATE);
        }
    }

    /**
     * Random, independent items: exponential gaps.
     *
     * @param perSecond average items per second and tenant
     */
    record Poisson(double perSecond) implements Arrivals {
        public Poisson {
            ScenarioLimits.require("rate", perSecond, ScenarioLimits.MIN_RATE, ScenarioLimits.MAX_RATE);
        }
    }

    /**
     * A number of items of each tenant at one time.
     *
     * @param atMillis    since the start of the run
     * @param everyMillis time to the next burst, 0 for a single burst
     */
    record Burst(long size, long atMillis, long everyMillis) implements Arrivals {
        public Burst {
            ScenarioLimits.require("size", size, 1, ScenarioLimits.MAX_WAITING);
            ScenarioLimits.require("at", atMillis, 0, ScenarioLimits.MAX_RUN_MILLIS);
            ScenarioLimits.require("every", everyMillis, 0, ScenarioLimits.MAX_RUN_MILLIS);
        }
    }

    /**
     * Recorded traffic; the trace also defines the tenants.
     *
     * @param speed factor by which time is compressed
     */
    record Recorded(RecordedTrace trace, double speed) implements Arrivals {
        public Recorded {
            ScenarioLimits.require("speed", speed, ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_SPEED);
        }
    }
}
