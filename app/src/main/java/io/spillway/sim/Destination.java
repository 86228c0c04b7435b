package io.spillway.sim;

import io.spillway.core.retry.AttemptResult;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.OptionalLong;

/**
 * What the handlers do: how long an attempt takes and how it ends. Decided by the seed, the item and the number of the
 * attempt, so that it is the same whatever waits before it.
 */
final class Destination {
    private static final AttemptResult SUCCEEDED = new AttemptResult.Succeeded();
    private static final AttemptResult FAILED = new AttemptResult.Failed(OptionalLong.empty(), "failed, as the scenario has it");
    private static final AttemptResult DOWN = new AttemptResult.Failed(OptionalLong.empty(), "the destination is down");
    private static final AttemptResult FINAL = new AttemptResult.FailedForGood("final, as the scenario has it");

    private final Population population;
    private final long seed;
    private final SeededRandom dice = new SeededRandom(0);

    Destination(Population population, long seed) {
        this.population = population;
        this.seed = seed;
    }

    /**
     * How an attempt ends that starts now.
     *
     * @param nanos of handling, to its end
     * @param kills whether its worker dies of it
     */
    record Ending(long nanos, AttemptResult result, boolean kills) {}

    Ending attempt(SimulatedItem item, int attempts, long nowNanos) {
        Handling handling = population.group(item.tenant).handling();
        dice.set(seed, item.number, attempts);
        double millis = item.handlingNanos == SimulatedItem.NOT_RECORDED
                ? population.latency(item.tenant).millis(dice)
                : (double) item.handlingNanos / SimulatedTime.NANOS_PER_MILLI;
        double chance = dice.nextDouble();
        AttemptResult result = chance < handling.finalRate() ? FINAL
                : chance < handling.finalRate() + handling.failureRate() ? FAILED : SUCCEEDED;
        for (Disturbance disturbance : handling.disturbances()) {
            if (disturbance.window().contains(nowNanos)) {
                switch (disturbance) {
                    case Disturbance.Outage outage -> result = DOWN;
                    case Disturbance.Hang hang -> millis = Double.MAX_VALUE;
                    case Disturbance.Slowdown slow -> millis *= slow.factor();
                }
            }
        }
        long timeoutMillis = population.policy(item.tenant).timeoutMillis();
        if (millis > timeoutMillis) {
            return new Ending(timeoutMillis * SimulatedTime.NANOS_PER_MILLI, new AttemptResult.TimedOut(timeoutMillis), false);
        }
        return new Ending(Math.round(millis * SimulatedTime.NANOS_PER_MILLI), result, handling.kills());
    }

    /** Chance for what follows from an attempt, such as the wait before the next. */
    SeededRandom chanceAfter(SimulatedItem item, int attempts) {
        return dice.set(~seed, item.number, attempts);
    }
}
