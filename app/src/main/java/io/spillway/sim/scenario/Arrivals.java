package io.spillway.sim.scenario;

/** When the items of a group of tenants arrive. */
public sealed interface Arrivals {
    /**
     * Evenly spaced, the tenants of the group in turn.
     *
     * @param perSecond items a second of each tenant, above 0
     */
    record Constant(double perSecond) implements Arrivals {
        public Constant {
            requireRate(perSecond);
        }
    }

    /**
     * At random, independent of one another: exponential gaps.
     *
     * @param perSecond items a second of each tenant on average, above 0
     */
    record Poisson(double perSecond) implements Arrivals {
        public Poisson {
            requireRate(perSecond);
        }
    }

    /**
     * So many items of each tenant at once.
     *
     * @param size        items, 1 or more
     * @param atMillis    since the start of the run, 0 or more
     * @param everyMillis until the next such burst, 0 for one burst alone
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
     * What was recorded; the trace also says who the tenants are.
     *
     * @param trace not null
     * @param speed how many times faster than it was, above 0
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
            throw new IllegalArgumentException("rate = " + perSecond + ": must be above 0, and " + ScenarioLimits.MAX_RATE + " at most");
        }
    }
}
