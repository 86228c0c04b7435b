package io.spillway.sim;

import io.spillway.core.engine.EnginePartition;
import io.spillway.core.engine.ItemPolicies;
import io.spillway.core.engine.Step;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.PoolName;
import io.spillway.core.overload.HandlingStats;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.NextStep;
import io.spillway.core.scheduling.MaxMinSlots;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.SimulatedWorker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Worker in virtual time, from its start to its death: reads its partitions, runs attempts and commits by the decisions
 * of the {@link WorkerEngine}.
 *
 * <p>Owner: the model. Bounds: those of the engine and of {@link SimulatedPartition}.
 */
final class SimWorker implements ItemPolicies<SimulatedItem> {
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
    private final WorkerEngine<SimulatedItem, SimulatedAttempt> engine;
    private final DestinationHealth health = new DestinationHealth(DestinationHealth.MAX_TENANTS);
    final SimulatedWorker settings;
    private final int slots;
    private final HandlingStats stats;
    /** Moves of the next commit. */
    private final List<Step<SimulatedItem, SimulatedAttempt>> open = new ArrayList<>();
    /** As in a consumer: a partition that gave records is the last one of the next poll. */
    private final List<SimulatedPartition> readOrder = new ArrayList<>();
    /** Whether all live work is taken, so that the aged lane may use the free slots. */
    boolean caughtUp;
    private long diedNanos = ALIVE;
    private boolean urgent;
    /** When a rate lets the next item start. */
    private long fillsNanos = ALIVE;
    /** When it last began to hand partitions back. */
    private long leavingNanos;

    /** Creates a worker that takes these partitions over. */
    SimWorker(
            SpillwayModel model, String name, SimulatedWorker settings, List<SimulatedPartition> partitions,
            long nowNanos) {
        this.name = name;
        this.settings = settings;
        this.model = model;
        this.tally = model.tally;
        this.slots = settings.dispatch().slots();
        this.engine = new WorkerEngine<>(
                settings.dispatch(), health, model.cluster.killerDeaths(), this, SimulatedAttempt::new);
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
        List<EnginePartition> leaving = partitions.stream().filter(which).map(partition -> partition.state).toList();
        if (!leaving.isEmpty()) {
            engine.leave(leaving, nowNanos);
            leavingNanos = nowNanos;
        }
    }

    /** Removes the partitions that were being handed back, after the commit of their last state. */
    private void forget(List<SimulatedPartition> left, long nowNanos) {
        carryOut(engine.forget(left.stream().map(partition -> partition.state).toList(), nowNanos), nowNanos);
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
    Map<String, MaxMinSlots.Demand> share(MaxMinSlots shares) {
        return engine.share(shares);
    }

    /** Returns its load since the last report, for the router. */
    WorkerReport report(long nowNanos) {
        Map<Lane, Set<Integer>> owned = partitions.stream().collect(Collectors.groupingBy(
                partition -> partition.lane, Collectors.mapping(partition -> partition.index, Collectors.toSet())));
        return stats.report(slots, engine.waiting(Lane.HOT), owned, nowNanos).with(
                PoolName.SHARED, SlotUse.of(engine.attempts().stream().map(attempt -> attempt.item.tenant()), slots),
                SuspectStatus.NONE);
    }

    /** Follows the suspects of the fleet and returns its own status. */
    SuspectStatus exchange(Map<String, SuspectStatus.Received> fleet, long nowNanos) {
        engine.follow(name, fleet);
        fillSlots(nowNanos);
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
                        partition -> partition.state.isDirty() || partition.state.isLeaving() || partition.hasUnread())
                || Lane.WORKED.stream().anyMatch(lane -> engine.waiting(lane) > 0);
    }

    /** Polls until nothing is left or the read-ahead is full. */
    void poll(long nowNanos) {
        int read;
        do {
            read = 0;
            List<SimulatedPartition> given = new ArrayList<>();
            for (SimulatedPartition from : readOrder) {
                int own = engine.mayRead(from.state, MAX_POLL) ? read(from, MAX_POLL - read, nowNanos) : 0;
                if (own > 0) {
                    given.add(from);
                }
                read += own;
            }
            readOrder.removeAll(given);
            readOrder.addAll(given);
            fillSlotsAndMakeRoom(nowNanos);
        } while (read == MAX_POLL);
    }

    private int read(SimulatedPartition from, int most, long nowNanos) {
        long before = from.position();
        List<SimulatedItem> items = from.read(most);
        int read = (int) (from.position() - before);
        if (read > 0) {
            long nowMillis = SimulatedTime.epochMillis(nowNanos);
            carryOut(engine.received(from.state, items, from.position(), nowMillis), nowNanos);
            from.seek(from.state.position());
        }
        return read;
    }

    /** Commits the transaction: finished items and moves. */
    void commit(long nowNanos) {
        urgent = false;
        long nowMillis = SimulatedTime.epochMillis(nowNanos);
        carryOut(engine.claims().ofLong(nowNanos), nowNanos);
        if (nowNanos - leavingNanos >= SimulatedTime.NANOS_PER_SECOND) {
            carryOut(engine.claims().ofLeaving(), nowNanos);
        }
        boolean isLeaving = engine.attempts().stream()
                .anyMatch(attempt -> attempt.item.partition().isLeaving() && !attempt.isClaimed());
        List<SimulatedPartition> left = isLeaving ? List.of()
                : partitions.stream().filter(partition -> partition.state.isLeaving()).toList();
        engine.drained(left.stream().map(partition -> partition.state).toList());
        Map<SimulatedPartition, ProgressState> snapshots = new LinkedHashMap<>();
        for (SimulatedPartition partition : partitions) {
            if (partition.state.isDirty()) {
                snapshots.put(partition, engine.snapshot(partition.state));
            }
        }
        List<Step<SimulatedItem, SimulatedAttempt>> moves = List.copyOf(open);
        open.clear();
        snapshots.forEach((partition, snapshot) -> {
            partition.committed(snapshot);
            carryOut(engine.committed(partition.state, snapshot, nowMillis, nowNanos), nowNanos);
        });
        engine.attempts().stream().filter(SimulatedAttempt::isClaimed).forEach(SimulatedAttempt::claimHeld);
        moves.forEach(move -> model.published(move, nowNanos));
        if (!left.isEmpty()) {
            forget(left, nowNanos);
        }
        fillSlotsAndMakeRoom(nowNanos);
        if (engine.suspects() > 0) {
            model.requestSuspects(nowNanos);
        }
    }

    /** Kills this worker; without effect if it is dead. */
    void kill(long nowNanos) {
        if (isAlive()) {
            diedNanos = nowNanos;
            engine.attempts().stream().filter(SimulatedAttempt::isClaimHeld)
                    .forEach(attempt -> model.published(attempt.lostClaim(), nowNanos));
            model.died(this, nowNanos);
        }
    }

    private void ended(SimulatedAttempt attempt, long nowNanos) {
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
        carryOut(engine.ended(attempt, attempt.ending.result(), model.destination.randomAfter(item, item.attempts),
                SimulatedTime.epochMillis(nowNanos), nowNanos), nowNanos);
        model.requestTick(nowNanos);
        model.requestCounts(nowNanos);
        fillSlots(nowNanos);
        if (inFlight() < slots && partitions.stream()
                .anyMatch(partition -> partition.hasUnread() && engine.mayRead(partition.state, MAX_POLL))) {
            poll(nowNanos);
        }
    }

    private void fillSlots(long nowNanos) {
        carryOut(
                engine.fillSlots(caughtUp, Integer.MAX_VALUE, SimulatedTime.epochMillis(nowNanos), nowNanos), nowNanos);
        engine.dispatch().nextStartNanos().ifPresent(this::fillSlotsAt);
    }

    private void fillSlotsAt(long atNanos) {
        if (atNanos < fillsNanos) {
            fillsNanos = atNanos;
            model.events.add(atNanos, now -> {
                if (isAlive() && fillsNanos == atNanos) {
                    fillsNanos = ALIVE;
                    fillSlots(now);
                }
            });
        }
    }

    private void fillSlotsAndMakeRoom(long nowNanos) {
        fillSlots(nowNanos);
        carryOut(engine.makeRoom(SimulatedTime.epochMillis(nowNanos), nowNanos), nowNanos);
    }

    private void carryOut(List<Step<SimulatedItem, SimulatedAttempt>> steps, long nowNanos) {
        for (Step<SimulatedItem, SimulatedAttempt> step : steps) {
            switch (step) {
                case Step.Start(SimulatedAttempt attempt) -> start(attempt, nowNanos);
                case Step.Ride<SimulatedItem, SimulatedAttempt> none ->
                        throw new IllegalStateException("a simulated handler takes one item in a call");
                case Step.Done(SimulatedAttempt attempt) -> {
                    attempt.item.currentPartition.left();
                    tally.done(attempt.item);
                }
                case Step.Drop(SimulatedItem item, DropReason reason) -> {
                    item.currentPartition.left();
                    tally.dropped(item, reason);
                }
                case Step.Move<SimulatedItem, SimulatedAttempt> move -> move(move.item(), move);
                case Step.Retry<SimulatedItem, SimulatedAttempt> retry -> move(retry.attempt().item, retry);
                case Step.DeadLetter<SimulatedItem, SimulatedAttempt> dead -> move(dead.item(), dead);
                case Step.Commit() -> commitSoon(nowNanos);
                case Step.Abandon(SimulatedAttempt attempt) -> { }
                case Step.Claim(SimulatedAttempt attempt) -> attempt.item.currentPartition.left();
                case Step.Settle(SimulatedAttempt attempt, NextStep.Done done) -> tally.done(attempt.item);
                case Step.Settle(SimulatedAttempt attempt, NextStep next) -> open.add(attempt.settled(next));
            }
        }
    }

    private void start(SimulatedAttempt attempt, long nowNanos) {
        SimulatedItem item = attempt.item;
        stats.begun(item.lane, item.attempts == 0,
                SimulatedTime.epochMillis(nowNanos) - SimulatedTime.epochMillis(item.arrivedNanos));
        tally.attempted(item, nowNanos);
        attempt.ending = model.destination.attempt(
                item, item.attempts, settings.slowdown(), attempt.timeout.millis(), nowNanos);
        model.events.add(nowNanos + attempt.ending.nanos(), now -> ended(attempt, now));
    }

    private void commitSoon(long nowNanos) {
        if (!urgent) {
            urgent = true;
            model.events.add(nowNanos + URGENT_NANOS, now -> {
                if (urgent && isAlive()) {
                    commit(now);
                }
            });
        }
    }

    private void move(SimulatedItem item, Step<SimulatedItem, SimulatedAttempt> move) {
        item.currentPartition.left();
        open.add(move);
    }

    @Override
    public TenantPolicy policyOf(SimulatedItem item) {
        return tally.population.policy(item.tenant);
    }

    @Override
    public long sweptBeforeMillis(String tenant, String workload, long marginMillis, long nowMillis) {
        return tally.population.sweptBeforeMillis(tenant, nowMillis);
    }
}
