package io.spillway.sim;

import io.spillway.handler.Outcome;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import java.time.Duration;

/** Destination of a scenario: a function of the seed, the item and the number of the attempt only. */
final class ScenarioDestination implements Destination {
    private static final Outcome SUCCEEDED = Outcome.done();
    private static final Outcome FAILED = Outcome.retry("scenario failure");
    private static final Outcome DOWN = Outcome.retry("the destination is down");
    private static final Outcome FINAL = Outcome.dead("permanent scenario failure");

    /** In place of the number of an attempt: the same draw for all attempts of an item. */
    private static final int POISON = -1;

    private final Population population;
    private final long seed;
    private final SeededRandom random = new SeededRandom(0);

    ScenarioDestination(Population population, long seed) {
        this.population = population;
        this.seed = seed;
    }

    @Override
    public Ending attempt(SimulatedItem item, int attempts, double slowdown, long timeoutMillis, long nowNanos) {
        Handling handling = population.group(item.tenant).handling();
        random.set(seed, item.number, attempts);
        double millis = item.handlingNanos == SimulatedItem.NOT_RECORDED
                ? population.latency(item.tenant).millis(random)
                : (double) item.handlingNanos / SimulatedTime.NANOS_PER_MILLI;
        double chance = random.nextDouble();
        Outcome result = chance < handling.finalRate() ? FINAL
                : chance < handling.finalRate() + handling.failureRate() ? FAILED : SUCCEEDED;
        if (handling.poisonRate() > 0
                && random.set(seed, item.number, POISON).nextDouble() < handling.poisonRate()) {
            result = FAILED;
        }
        boolean kills = handling.kills();
        for (Disturbance disturbance : handling.disturbances()) {
            if (disturbance.window().contains(nowNanos)) {
                switch (disturbance) {
                    case Disturbance.Outage outage -> result = DOWN;
                    case Disturbance.Hang hang -> millis = Double.MAX_VALUE;
                    case Disturbance.Kill kill -> kills = true;
                    case Disturbance.Slowdown slow -> millis *= slow.factor();
                }
            }
        }
        millis *= slowdown;
        if (millis > timeoutMillis) {
            Outcome timedOut = new Outcome.TimedOut(Duration.ofMillis(timeoutMillis));
            return new Ending(timeoutMillis * SimulatedTime.NANOS_PER_MILLI, timedOut, "", false);
        }
        return new Ending(Math.round(millis * SimulatedTime.NANOS_PER_MILLI), result, "", kills);
    }

    @Override
    public SeededRandom randomAfter(SimulatedItem item, int attempts) {
        return random.set(~seed, item.number, attempts);
    }
}
