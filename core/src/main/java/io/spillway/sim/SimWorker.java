package io.spillway.sim;

import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.engine.EngineEffects;
import io.spillway.core.engine.EnginePartition;
import io.spillway.core.engine.ItemPolicies;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.ConcurrencyShares;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.SimulatedWorker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Worker in virtual time, from its start to its death: reads its partitions, runs attempts and commits by the decisions
 * of the {@link WorkerEngine}.
 *
 * <p>Owner: the model. Bounds: those of the engine and of {@link SimulatedPartition}.
 */
final class SimWorker implements EngineEffects<SimulatedItem, SimWorker.Attempt>, ItemPolicies<SimulatedItem> {
    /** {@code max.poll.records} of the worker. */
    private static final int MAX_POLL = 500;
    private static final long ALIVE = Long.MAX_VALUE;
    /** Delay of an urgent commit, about the duration of a transaction. */
    private static final long URGENT_NANOS = 10 * SimulatedTime.NANOS_PER_MILLI;

    /** Partitions that it owns; when it is dead, those that it gets when it restarts. */
    final List<SimulatedPartition> partitions = new ArrayList<>();
    final String name;
    private final SpillwayModel model;
    private final Tally tally;
    private final WorkerEngine<SimulatedItem, Attempt> engine;
    private final DestinationHealth health = new DestinationHealth(WorkerEngine.MAX_FAILING_TENANTS);
    final SimulatedWorker settings;
    private final int slots;
    private final HandlingStats stats;
    private final List<SimMove> open = new ArrayList<>();
    /** As in a consumer: a partition that gave records is the last one of the next poll. */
    private final List<SimulatedPartition> readOrder = new ArrayList<>();
    /** Whether all live work is taken, so that the aged lane may use the free slots. */
    boolean caughtUp;
    private long diedNanos = ALIVE;
    private boolean urgent;

    /** Attempt whose end is known from its start. */
    static final class Attempt extends EngineAttempt<SimulatedItem> {
        private final Destination.Ending ending;

        private Attempt(
                SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, AttemptTimeout timeout,
                Destination.Ending ending, long startedNanos) {
            super(item, slot, policy, timeout, startedNanos);
            this.ending = ending;
        }
    }

    /** Creates a worker that takes these partitions over. */
    SimWorker(
            SpillwayModel model, String name, SimulatedWorker settings, List<SimulatedPartition> partitions,
            long nowNanos) {
        this.name = name;
        this.settings = settings;
        this.model = model;
        this.tally = model.tally;
        this.slots = settings.dispatch().slots();
        this.engine = new WorkerEngine<>(settings.dispatch(), health, model.cluster.killerDeaths(), this, this);
        this.stats = new HandlingStats(nowNanos);
        engine.follow(name, model.suspects());
        take(partitions);
    }

    /** Takes partitions over from their last commit; if it is dead, when it restarts. */
    void take(Collection<SimulatedPartition> given) {
        partitions.addAll(given);
        if (isAlive()) {
            given.forEach(SimulatedPartition::takeOver);
            readOrder.addAll(given);
        }
    }

    /** Begins to hand partitions back: they leave at the commit that finds none of their attempts running. */
    void handBack(Predicate<SimulatedPartition> which, long nowNanos) {
        List<EnginePartition> leaving = partitions.stream().filter(which).map(each -> each.state).toList();
        if (!leaving.isEmpty()) {
            engine.leave(leaving, nowNanos);
        }
    }

    /** Removes the partitions that were being handed back, after the commit of their last state. */
    private void forget(List<SimulatedPartition> left, long nowNanos) {
        engine.forget(left.stream().map(each -> each.state).toList(), nowNanos);
        partitions.removeAll(left);
        readOrder.removeAll(left);
        model.assign(nowNanos);
    }

    int inFlight() {
        return engine.attempts().size();
    }

    boolean isAlive() {
        return diedNanos == ALIVE;
    }

    /** Returns when it died, if it is dead. */
    long diedNanos() {
        return diedNanos;
    }

    void prune(long nowNanos) {
        health.prune(SimulatedTime.epochMillis(nowNanos));
    }

    /** Applies shares of concurrency and returns the demand. */
    Map<String, ConcurrencyShares.Demand> share(ConcurrencyShares shares) {
        return engine.dispatch().share(shares);
    }

    /** Returns its load since the last report, for the router. */
    WorkerReport report(long nowNanos) {
        Map<Lane, Set<Integer>> owned = partitions.stream().collect(
                Collectors.groupingBy(each -> each.lane, Collectors.mapping(each -> each.index, Collectors.toSet())));
        return stats.report(slots, engine.waiting(Lane.HOT), owned, nowNanos);
    }

    /** Follows the suspects of the fleet and returns its own status. */
    SuspectStatus exchange(Map<String, SuspectStatus.Received> fleet, long nowNanos) {
        engine.follow(name, fleet);
        engine.fillSlots(caughtUp, SimulatedTime.epochMillis(nowNanos), nowNanos);
        return engine.suspectStatus(SimulatedTime.epochMillis(nowNanos));
    }

    /** Returns whether it has suspects, of which the others must know. */
    boolean hasSuspects() {
        return engine.suspects() > 0;
    }

    /** Returns the attempts that ended since the last report, for the router. */
    List<AttemptCounts> takeCounts() {
        return health.takeCounts(Integer.MAX_VALUE);
    }

    /** Returns whether the next tick has work: something to read, to commit or to start. */
    boolean isBusy() {
        return !open.isEmpty()
                || partitions.stream().anyMatch(
                        each -> each.state.isDirty() || each.state.isLeaving() || each.hasUnread())
                || engine.waiting(Lane.HOT) + engine.waiting(Lane.OVERFLOW) + engine.waiting(Lane.AGED) > 0;
    }

    /** Polls until nothing is left or the read-ahead is full. */
    void poll(long nowNanos) {
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        int read;
        do {
            read = 0;
            List<SimulatedPartition> given = new ArrayList<>();
            for (SimulatedPartition from : readOrder) {
                int own = engine.mayRead(from.state) ? read(from, MAX_POLL - read, nowMillis, nowNanos) : 0;
                if (own > 0) {
                    given.add(from);
                }
                read += own;
            }
            readOrder.removeAll(given);
            readOrder.addAll(given);
            engine.fillSlots(caughtUp, nowMillis, nowNanos);
            engine.makeRoom(nowMillis, nowNanos);
        } while (read == MAX_POLL);
    }

    private int read(SimulatedPartition from, int most, long nowMillis, long nowNanos) {
        int read = 0;
        for (; read < most && from.hasUnread(); read++) {
            // The position identifies the record even when its item has moved since.
            engine.arrived(from.state, from.position(), from.read(), nowMillis, nowNanos);
        }
        if (read > 0) {
            from.state.positionedAt(from.position());
        }
        return read;
    }

    /** Commits the transaction: finished items and moves. */
    void commit(long nowNanos) {
        urgent = false;
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        List<SimulatedPartition> left = engine.hasLeavingAttempts() ? List.of()
                : partitions.stream().filter(each -> each.state.isLeaving()).toList();
        engine.drained(left.stream().map(each -> each.state).toList());
        Map<SimulatedPartition, ProgressState> snapshots = new LinkedHashMap<>();
        for (SimulatedPartition each : partitions) {
            if (each.state.isDirty()) {
                snapshots.put(each, engine.snapshot(each.state));
            }
        }
        List<SimMove> moves = List.copyOf(open);
        open.clear();
        snapshots.forEach((partition, snapshot) -> {
            partition.committed(snapshot);
            engine.committed(partition.state, snapshot, nowMillis, nowNanos);
        });
        moves.forEach(move -> model.published(move, nowNanos));
        if (!left.isEmpty()) {
            forget(left, nowNanos);
        }
        engine.fillSlots(caughtUp, nowMillis, nowNanos);
        engine.makeRoom(nowMillis, nowNanos);
        if (engine.suspects() > 0) {
            model.requestSuspects(nowNanos);
        }
    }

    /** Kills this worker; without effect if it is dead. */
    void kill(long nowNanos) {
        if (isAlive()) {
            diedNanos = nowNanos;
            model.died(this, nowNanos);
        }
    }

    private void ended(Attempt attempt, long nowNanos) {
        if (!isAlive()) {
            return;
        }
        if (attempt.ending.kills()) {
            kill(nowNanos);
            return;
        }
        SimulatedItem item = attempt.item;
        attempt.destination = attempt.ending.destination();
        item.destination = attempt.destination;
        stats.ended(item.lane, nowNanos - attempt.startedNanos);
        tally.held(item, nowNanos - attempt.startedNanos);
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        engine.ended(attempt, attempt.ending.result(), model.destination.randomAfter(item, item.attempts), nowMillis,
                nowNanos);
        model.requestTick(nowNanos);
        model.requestCounts(nowNanos);
        engine.fillSlots(caughtUp, nowMillis, nowNanos);
        if (inFlight() < slots && hasUnread()) {
            poll(nowNanos);
        }
    }

    private boolean hasUnread() {
        return partitions.stream().anyMatch(each -> each.hasUnread() && engine.mayRead(each.state));
    }

    @Override
    public TenantPolicy policyOf(SimulatedItem item) {
        return tally.population.policy(item.tenant);
    }

    @Override
    public long sweptBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis) {
        return tally.population.sweptBeforeMillis(tenant, nowMillis);
    }

    @Override
    public Attempt start(
            SimulatedItem item, SlotLease<SimulatedItem> slot, TenantPolicy policy, AttemptTimeout timeout,
            long nowMillis, long nowNanos) {
        stats.begun(item.lane, item.attempts == 0, nowMillis - SimulatedTime.epochMillis(item.arrivedNanos));
        tally.attempted(item, nowNanos);
        Destination.Ending ending = model.destination.attempt(item, item.attempts, timeout.millis(), nowNanos)
                .slowedBy(settings.slowdown());
        Attempt attempt = new Attempt(item, slot, policy, timeout, ending, nowNanos);
        model.events.add(nowNanos + ending.nanos(), now -> ended(attempt, now));
        return attempt;
    }

    @Override
    public void done(SimulatedItem item) {
        item.currentPartition.left();
        tally.done(item);
    }

    @Override
    public void dropped(SimulatedItem item, DropReason reason) {
        item.currentPartition.left();
        tally.dropped(item, reason);
    }

    @Override
    public void ended(SimulatedItem item, Route.DeadLetter why, long nowMillis) {
        move(SimMove.dead(item, item.attempts, why));
    }

    @Override
    public void moved(SimulatedItem item, Lane to, LaneReason reason, int moves, long dueMillis) {
        move(new SimMove(item, to, item.attempts, moves, dueMillis, Optional.empty(), Optional.empty()));
    }

    /** A retry resets the moves: they are limited between two attempts. */
    @Override
    public void retried(Attempt attempt, NextStep.Delay next) {
        move(new SimMove(
                attempt.item, Lane.DELAY, next.attempts(), 0, next.dueMillis(), Optional.of(next), Optional.empty()));
    }

    @Override
    public void deadLettered(Attempt attempt, Route.DeadLetter why, int attempts, long nowMillis) {
        move(SimMove.dead(attempt.item, attempts, why));
    }

    @Override
    public void convicted(SimulatedItem item, Route.DeadLetter why, int attempts, long nowMillis) {
        move(SimMove.dead(item, attempts, why));
    }

    @Override
    public void commitWanted(long nowNanos) {
        if (!urgent) {
            urgent = true;
            model.events.add(nowNanos + URGENT_NANOS, now -> {
                if (urgent && isAlive()) {
                    commit(now);
                }
            });
        }
    }

    private void move(SimMove move) {
        move.item().currentPartition.left();
        open.add(move);
    }
}
