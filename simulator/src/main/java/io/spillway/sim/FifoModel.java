package io.spillway.sim;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.retry.Backoff;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Baseline for comparison: one FIFO queue for all tenants, and the same workers. Attempts, backoff and timeouts follow
 * the tenants' policies; there are no lanes, rates, drops, budgets or fair shares. A failed item is invisible during
 * its backoff and then goes to the end. When a worker dies, its items return to the front once the worker is back. As
 * with the receive count of a queue, too many deaths make a dead letter.
 *
 * <p>Owner: the run. Bound: the items that wait.
 */
final class FifoModel implements Model {
    private final TimedQueue<LongConsumer> events;
    private final Tally tally;
    private final Destination destination;
    private final SimulatedCluster cluster;
    private final DestinationHealth health = new DestinationHealth(DestinationHealth.MAX_TENANTS);
    private final Deque<SimulatedItem> queue = new ArrayDeque<>();
    /** The worker of each. */
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    /** Attempts of each worker. */
    private final List<Set<Attempt>> running = new ArrayList<>();

    private record Attempt(SimulatedItem item, int worker) {}

    FifoModel(SimulatedCluster cluster, TimedQueue<LongConsumer> events, Tally tally, Destination destination) {
        this.cluster = cluster;
        this.events = events;
        this.tally = tally;
        this.destination = destination;
        for (int worker = 0; worker < cluster.workers().size(); worker++) {
            running.add(new LinkedHashSet<>());
        }
        for (int slot = 0; freeSlots.size() < cluster.slots(); slot++) {
            for (int worker = 0; worker < cluster.workers().size(); worker++) {
                if (slot < cluster.workers().get(worker).dispatch().slots()) {
                    freeSlots.add(worker);
                }
            }
        }
    }

    @Override
    public void arrive(SimulatedItem item, long nowNanos) {
        tally.entered(item, Lane.HOT);
        queue.add(item);
        start(nowNanos);
    }

    @Override
    public int inFlight() {
        return running.stream().mapToInt(Set::size).sum();
    }

    private void start(long nowNanos) {
        while (!queue.isEmpty() && !freeSlots.isEmpty()) {
            SimulatedItem item = queue.remove();
            Attempt attempt = new Attempt(item, freeSlots.remove());
            running.get(attempt.worker()).add(attempt);
            tally.attempted(item, nowNanos);
            long timeoutMillis = tally.population.policy(item.tenant).timeoutMillis();
            Destination.Ending ending = destination.attempt(item, item.attempts,
                    cluster.workers().get(attempt.worker()).slowdown(), timeoutMillis, nowNanos);
            events.add(nowNanos + ending.nanos(), now -> ended(attempt, ending, nowNanos, now));
        }
    }

    private void ended(Attempt attempt, Destination.Ending ending, long startedNanos, long nowNanos) {
        int worker = attempt.worker();
        if (!running.get(worker).contains(attempt)) {
            return;
        }
        if (ending.kills()) {
            die(worker, nowNanos);
            return;
        }
        running.get(worker).remove(attempt);
        freeSlots.add(worker);
        SimulatedItem item = attempt.item();
        tally.held(item, nowNanos - startedNanos);
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        health.ended("", item.tenantName, "", item.attempts == 0, AttemptCounts.UNKNOWN,
                !AttemptRules.isFailure(ending.result()), nowMillis);
        NextStep next = AttemptRules.nextStep(ending.result(), item, health.blame("", item.tenantName, nowMillis),
                tally.population.policy(item.tenant), destination.randomAfter(item, item.attempts), nowMillis);
        switch (next) {
            case NextStep.Done done -> tally.done(item);
            case NextStep.DeadLetter dead -> tally.dead(item, dead.why());
            case NextStep.GiveBack giveBack -> queue.addFirst(item);
            case NextStep.PutOff later -> throw new IllegalStateException("scenarios put nothing off");
            case NextStep.Delay delay -> {
                item.attempts = delay.attempts();
                item.blameThousandths = delay.blameThousandths();
                item.waitMillis = waitMillis(item);
                tally.moved(item, Lane.DELAY);
                events.add(Math.max(nowNanos, SimulatedTime.nanosOf(nowMillis + item.waitMillis)), now -> {
                    tally.moved(item, Lane.HOT);
                    queue.add(item);
                    start(now);
                });
            }
        }
        start(nowNanos);
    }

    /** Without a budget, the backoff is all that limits the load of an outage: it grows with each attempt. */
    private long waitMillis(SimulatedItem item) {
        TenantPolicy policy = tally.population.policy(item.tenant);
        return Backoff.waitMillis(policy.jitter(), policy.backoffBaseMillis(), policy.backoffCapMillis(), item.attempts,
                item.waitMillis, destination.randomAfter(item, item.attempts - 1));
    }

    private void die(int worker, long nowNanos) {
        tally.workerDeaths++;
        Set<Attempt> lost = running.set(worker, new LinkedHashSet<>());
        // The worker's free slots are not available either until it is back.
        Deque<Integer> gone = new ArrayDeque<>();
        freeSlots.removeIf(slot -> slot == worker && gone.add(slot));
        lost.forEach(attempt -> gone.add(worker));
        events.add(nowNanos + cluster.restartMillis() * SimulatedTime.NANOS_PER_MILLI, now -> {
            Deque<SimulatedItem> back = new ArrayDeque<>();
            lost.forEach(attempt -> back.push(attempt.item()));
            back.forEach(this::receivedAgain);
            freeSlots.addAll(gone);
            start(now);
        });
    }

    private void receivedAgain(SimulatedItem item) {
        if (++item.attempts >= tally.population.policy(item.tenant).attempts()) {
            tally.dead(item, new Route.DeadLetter(DeadReason.ATTEMPTS_USED_UP, ""));
        } else {
            queue.addFirst(item);
        }
    }
}
