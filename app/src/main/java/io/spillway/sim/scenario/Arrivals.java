package io.spillway.sim.scenario;

/** Arrival process of a group of tenants. */
public sealed interface Arrivals {
    /**
     * Evenly spaced items, one tenant of the group after the other.
     *
     * @param perSecond items per second and tenant, above 0
     */
    record Constant(double perSecond) implements Arrivals {
        public Constant {
            requireRate(perSecond);
        }
    }

    /**
     * Random, independent items: exponential gaps.
     *
     * @param perSecond average items per second and tenant, above 0
     */
    record Poisson(double perSecond) implements Arrivals {
        public Poisson {
            requireRate(perSecond);
        }
    }

    /**
     * A number of items of each tenant at one time.
     *
     * @param size        items, 1 or more
     * @param atMillis    since the start of the run, 0 or more
     * @param everyMillis time to the next burst, 0 for a single burst
     */
    record Burst(long size, long atMillis, long everyMillis) implements Arrivals {
        public Burst {
            if (size < 1 || atMillis < 0 || everyMillis < 0) {
                throw new IllegalArgumentException("burst of " + size + " at " + atMillis + " ms every " + everyMillis
                        + " ms: must be 1 or more, and not negative");
            }
        }
    }

    /**
     * Recorded traffic; the trace also defines the tenants.
     *
     * @param trace not null
     * @param speed factor by which time is compressed, above 0
     */
    record Recorded(RecordedTrace trace, double speed) implements Arrivals {
        public Recorded {
            if (!(speed > 0 && speed <= 1_000_000)) {
                throw new IllegalArgumentException("speed = " + speed + ": must be above 0, and 1000000 at most");
            }
        }
    }

    private static void requireRate(double perSecond) {
        if (!(perSecond > 0 && perSecond <= ScenarioLimits.MAX_RATE)) {
            throw new IllegalArgumentException(
                    "rate = " + perSecond + ": must be above 0, and " + ScenarioLimits.MAX_RATE + " at most");
        }
    }
}
