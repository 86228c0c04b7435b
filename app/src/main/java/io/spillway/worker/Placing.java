package io.spillway.worker;

import io.spillway.config.WorkerSettings;
import io.spillway.policy.Excess;
import io.spillway.policy.FairDispatch;
import io.spillway.policy.Lane;
import io.spillway.policy.LaneReason;
import io.spillway.policy.Mark;
import io.spillway.policy.Place;
import io.spillway.policy.Route;
import io.spillway.policy.Start;
import io.spillway.policy.TenantPolicy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Finds a place for every item that the worker takes: dropped, aside, held for the horizon, alone as a suspect, among
 * the waiting, or in a slot. Belongs, with all that it holds, to whoever holds the lock of {@link WorkerCore}.
 */
final class Placing {
    private final WorkerSettings settings;
    private final FairDispatch<LaneItem> dispatch;
    private final ItemGate gate;
    private final Moves moves;
    private final Settlement settlement;
    private final WorkerMetrics metrics;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final Suspects suspects = new Suspects();
    private final Running running = new Running();
    private boolean wantsCommit;

    Placing(
            WorkerSettings settings,
            FairDispatch<LaneItem> dispatch,
            ItemGate gate,
            Moves moves,
            Settlement settlement,
            WorkerMetrics metrics,
            InstantSource clock,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.dispatch = dispatch;
        this.gate = gate;
        this.moves = moves;
        this.settlement = settlement;
        this.metrics = metrics;
        this.clock = clock;
        this.nanoClock = nanoClock;
    }

    Running running() {
        return running;
    }

    Suspects suspects() {
        return suspects;
    }

    FairDispatch<LaneItem> dispatch() {
        return dispatch;
    }

    /** Whether something waits for a commit since this was asked last. */
    boolean takeWish() {
        boolean wish = wantsCommit;
        wantsCommit = false;
        return wish;
    }

    /** Takes in a record that is to be handled, or was in somebody's hands when they died. */
    void take(OwnedPartition home, ItemGate.Read read, long offset, boolean suspect, long nowMillis) {
        switch (read) {
            case ItemGate.Read.Bad(var record, var why, var tenant) -> {
                home.settle(offset, tenant, Lane.DEAD_LETTER, moves.dead(record, why, nowMillis));
                metrics.deadLettered(why.reason());
            }
            case ItemGate.Read.Item(LaneItem item) when suspect && settings.killerDeaths() > 0 -> suspects.add(item);
            case ItemGate.Read.Item(LaneItem item) -> place(item, nowMillis);
        }
    }

    /** Places what was held for a horizon that is committed now. */
    void release(OwnedPartition home, long nowMillis) {
        while (!home.held.isEmpty() && home.progress.mayStart(home.held.peek().offset())) {
            place(home.held.remove(), nowMillis);
        }
    }

    /** Fills the free slots, then moves on what is in the way of others' work. */
    List<Attempt> next(boolean caughtUp, long nowMillis) {
        lookAtSuspects(nowMillis);
        List<Attempt> attempts = new ArrayList<>();
        while (true) {
            Optional<Start<LaneItem>> start = dispatch.take(caughtUp, nanoClock.getAsLong());
            if (start.isEmpty()) {
                return attempts;
            }
            LaneItem item = start.get().item();
            TenantPolicy policy = gate.policyOf(item.tenant());
            Optional<Route> stale = gate.staleness(item, policy, nowMillis);
            if (stale.isEmpty() && settlement.mayAttempt(item, nowMillis)) {
                attempts.add(start(item, start.get(), policy));
            } else {
                dispatch.cancelled(start.get(), nanoClock.getAsLong());
                stale.ifPresent(route -> setAside(item, route));
            }
        }
    }

    /** Moves on what is in the way of others' work; called when the slots are filled. */
    void makeRoom(long nowMillis) {
        for (Excess<LaneItem> excess : dispatch.excess(nowMillis, nanoClock.getAsLong())) {
            switch (excess) {
                case Excess.ToOverflow<LaneItem>(LaneItem item) -> {
                    item.home().settle(item.offset(), item.tenant(), Lane.OVERFLOW, moves.aside(item, Lane.OVERFLOW, LaneReason.EXCESS));
                    metrics.moved(Lane.OVERFLOW, LaneReason.EXCESS);
                }
                case Excess.ToDelay<LaneItem>(LaneItem item, long dueMillis) -> {
                    item.home().settle(item.offset(), item.tenant(), Lane.DELAY,
                            moves.later(item, LaneReason.CAPPED, dueMillis, item.moves() + 1));
                    metrics.moved(Lane.DELAY, LaneReason.CAPPED);
                }
            }
        }
    }

    /** Runs the marked suspect, once the mark is committed. */
    Optional<Attempt> startMarked(OwnedPartition home, Optional<Mark> committed) {
        return suspects.onCommitted(home, committed).map(item -> start(item, null, gate.policyOf(item.tenant())));
    }

    /** An attempt is over: frees what it held, and says what becomes of its item. */
    void ended(Attempt attempt, AttemptEnd end, long nowMillis) {
        LaneItem item = attempt.item;
        if (attempt.isSuspect()) {
            suspects.ended(item);
        } else {
            dispatch.ended(attempt.slot, nanoClock.getAsLong());
        }
        if (!item.home().gone) {
            settlement.settle(attempt, end, nowMillis);
        }
        running.remove(attempt).ifPresent(waiting -> place(waiting, nowMillis));
    }

    /** Forgets what waits and belongs to partitions that are left. */
    void forgetLeaving() {
        dispatch.removeIf(item -> item.home().leaving, nanoClock.getAsLong());
        running.forgetLeaving();
        suspects.forgetLeaving();
    }

    private void place(LaneItem item, long nowMillis) {
        TenantPolicy policy = gate.policyOf(item.tenant());
        Optional<Route> stale = gate.staleness(item, policy, nowMillis);
        if (stale.isPresent()) {
            setAside(item, stale.get());
        } else if (running.waitBehind(item)) {
            return;
        } else if (item.home().progress.mayStart(item.offset())) {
            dispatch.offer(item.lane(), item.tenant(), policy, item, item.bytes(), item.moves());
        } else {
            item.home().held.add(item);
            item.home().dirty = true;
            wantsCommit = true;
        }
    }

    private void setAside(LaneItem item, Route stale) {
        switch (stale) {
            case Route.Drop drop -> {
                item.home().settle(item.offset(), item.tenant(), Place.DROPPED);
                metrics.dropped(drop.reason());
            }
            case Route.ToLane to -> {
                item.home().settle(item.offset(), item.tenant(), to.lane(), moves.aside(item, to.lane(), to.reason()));
                metrics.moved(to.lane(), to.reason());
            }
            case Route.DeadLetter dead -> throw new IllegalStateException("age makes no dead letters");
        }
    }

    private Attempt start(LaneItem item, Start<LaneItem> slot, TenantPolicy policy) {
        Attempt attempt = new Attempt(item, slot, policy, clock, nanoClock.getAsLong(), settings.leaseMax().toMillis());
        running.add(attempt);
        return attempt;
    }

    private void lookAtSuspects(long nowMillis) {
        for (Optional<LaneItem> next = suspects.nextWhenFree(); next.isPresent(); next = suspects.nextWhenFree()) {
            LaneItem item = next.get();
            Optional<Route> stale = gate.staleness(item, gate.policyOf(item.tenant()), nowMillis);
            if (stale.isPresent()) {
                setAside(item, stale.get());
            } else if (!running.waitBehind(item)) {
                settlement.judge(item, settings.killerDeaths(), nowMillis).ifPresent(mark -> {
                    suspects.mark(item, mark);
                    wantsCommit = true;
                });
            }
        }
    }
}
