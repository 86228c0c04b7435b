package io.spillway.sim;

import io.spillway.policy.AttemptResult;
import io.spillway.policy.AttemptRules;
import io.spillway.policy.Excess;
import io.spillway.policy.FairDispatch;
import io.spillway.policy.HandlingPulse;
import io.spillway.policy.Lane;
import io.spillway.policy.LaneReport;
import io.spillway.policy.NextStep;
import io.spillway.policy.ProgressState;
import io.spillway.policy.Reading;
import io.spillway.policy.RetryBudget;
import io.spillway.policy.RetryBudgets;
import io.spillway.policy.Route;
import io.spillway.policy.RoutingRules;
import io.spillway.policy.Start;
import io.spillway.policy.SuspectDecision;
import io.spillway.policy.SuspectRules;
import io.spillway.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One life of a worker: it reads its partitions, dispatches, settles what ends, and commits, in the steps and by the
 * policies of the real one ({@code WorkerCore}, {@code Placing}, {@code Settlement}). Whoever takes its partitions over when it
 * dies is another.
 *
 * <p>Owner: the model. Bounds: those of dispatch and of {@link LanePartition}.
 */
final class SimWorker {
    static final int MAX_BUDGETS = 100_000;
    private static final String DESTINATION = "handler";
    /** {@code max.poll.records} of the worker. */
    private static final int MAX_POLL = 1_000;
    /** A commit that somebody waits for is not put off until the next turn; a transaction takes about so long. */
    private static final long URGENT_NANOS = 10 * Time.NANOS_PER_MILLI;

    private final Population population;
    private final Events events;
    private final Tally tally;
    private final Destination destination;
    private final Plant plant;
    private final List<LanePartition> partitions;
    private final SimSurroundings around;
    private final FairDispatch<Item> dispatch;
    private final RetryBudgets budgets = new RetryBudgets(MAX_BUDGETS, RetryBudget.Settings.DEFAULT);
    private final HandlingPulse pulse;
    private final SimSuspects suspects = new SimSuspects();
    private final List<Move> open = new ArrayList<>();
    private boolean dead;
    private boolean caughtUp;
    private boolean urgent;
    private int alone;
    private int firstToRead;

    /**
     * Makes a worker that takes partitions over.
     *
     * @param partitions its own, of all lanes
     * @param nowNanos   when its life begins
     */
    SimWorker(
            Population population, Events events, Tally tally, Destination destination, Plant plant,
            List<LanePartition> partitions, SimSurroundings around, long nowNanos) {
        this.population = population;
        this.events = events;
        this.tally = tally;
        this.destination = destination;
        this.plant = plant;
        this.partitions = partitions;
        this.around = around;
        this.dispatch = new FairDispatch<>(plant.dispatch());
        this.pulse = new HandlingPulse(nowNanos);
        partitions.forEach(LanePartition::takeOver);
    }

    List<LanePartition> partitions() {
        return partitions;
    }

    int inFlight() {
        return dispatch.inFlight() + alone;
    }

    boolean isAlive() {
        return !dead;
    }

    void caughtUp(boolean isCaughtUp) {
        caughtUp = isCaughtUp;
    }

    void prune(long nowNanos) {
        budgets.prune(Time.epochMillis(nowNanos));
    }

    /** What it says of hot. */
    LaneReport report(long nowNanos) {
        return pulse.report(plant.dispatch().slots(), dispatch.waiting(Lane.HOT), nowNanos);
    }

    /** Whether time alone will bring it further: something to read, to commit or to look at. */
    boolean isBusy() {
        if (!open.isEmpty()) {
            return true;
        }
        for (LanePartition each : partitions) {
            if (each.dirty || each.hasUnread()) {
                return true;
            }
        }
        return dispatch.waiting(Lane.HOT) + dispatch.waiting(Lane.OVERFLOW) + dispatch.waiting(Lane.AGED) > 0;
    }

    /** Reads, poll by poll, until nothing is left or the read-ahead is full. */
    void poll(long nowNanos) {
        int read;
        do {
            read = 0;
            for (int i = 0; i < partitions.size(); i++) {
                LanePartition from = partitions.get((firstToRead + i) % partitions.size());
                if (from.progress.isFull() || dispatch.isFull(from.lane)) {
                    continue;
                }
                for (; read < MAX_POLL && from.hasUnread(); read++) {
                    take(from, nowNanos);
                }
            }
            firstToRead++;
            next(nowNanos);
            makeRoom(nowNanos);
        } while (read == MAX_POLL);
    }

    /** The transaction: what is finished, and what was moved on. */
    void commit(long nowNanos) {
        urgent = false;
        Map<LanePartition, ProgressState> parts = new LinkedHashMap<>();
        for (LanePartition each : partitions) {
            if (each.dirty) {
                parts.put(each, each.snapshot(suspects.markOf(each)));
            }
        }
        List<Move> moves = List.copyOf(open);
        open.clear();
        parts.forEach((home, state) -> {
            home.committed(state);
            suspects.onCommitted(home, state).ifPresent(item -> start(item, Optional.empty(), nowNanos));
            while (!home.held.isEmpty() && home.progress.mayStart(home.held.peek().offset)) {
                place(home.held.remove(), nowNanos);
            }
        });
        moves.forEach(around::published);
        next(nowNanos);
        makeRoom(nowNanos);
    }

    private void take(LanePartition from, long nowNanos) {
        Reading reading = from.progress.delivered(from.position());
        Item item = from.read();
        switch (reading) {
            case FINISHED -> { }
            case RUN, PROBATION -> place(item, nowNanos);
            case SUSPECT -> {
                if (plant.killerDeaths() > 0) {
                    suspects.add(item);
                } else {
                    place(item, nowNanos);
                }
            }
        }
    }

    private void place(Item item, long nowNanos) {
        Optional<Route> stale = staleness(item, nowNanos);
        if (stale.isPresent()) {
            setAside(item, stale.get());
        } else if (item.home.progress.mayStart(item.offset)) {
            dispatch.offer(item.lane, population.name(item.tenant), population.policy(item.tenant), item, 1, item.moves);
        } else {
            item.home.held.add(item);
            item.home.dirty = true;
            wantCommit(nowNanos);
        }
    }

    private void next(long nowNanos) {
        lookAtSuspects(nowNanos);
        while (true) {
            Optional<Start<Item>> start = dispatch.take(caughtUp, nowNanos);
            if (start.isEmpty()) {
                return;
            }
            Item item = start.get().item();
            Optional<Route> stale = staleness(item, nowNanos);
            if (stale.isEmpty() && mayAttempt(item, nowNanos)) {
                start(item, start, nowNanos);
            } else {
                dispatch.cancelled(start.get(), nowNanos);
                stale.ifPresent(route -> setAside(item, route));
            }
        }
    }

    private void makeRoom(long nowNanos) {
        for (Excess<Item> excess : dispatch.excess(Time.epochMillis(nowNanos), nowNanos)) {
            Item item = excess.item();
            move(item, switch (excess) {
                case Excess.ToOverflow<Item> over -> new Move(item, Lane.OVERFLOW, item.attempts, item.moves + 1, 0);
                case Excess.ToDelay<Item> later ->
                        new Move(item, Lane.DELAY, item.attempts, item.moves + 1, later.dueMillis());
            });
        }
    }

    private boolean mayAttempt(Item item, long nowNanos) {
        if (item.attempts == 0) {
            return true;
        }
        return switch (budgets.ask(population.name(item.tenant), DESTINATION, Time.epochMillis(nowNanos))) {
            case RetryBudget.Answer.Granted granted -> true;
            case RetryBudget.Answer.Wait wait -> {
                move(item, new Move(item, Lane.DELAY, item.attempts, item.moves, wait.untilMillis()));
                yield false;
            }
        };
    }

    private void start(Item item, Optional<Start<Item>> slot, long nowNanos) {
        pulse.begun(item.lane, item.attempts == 0, Time.epochMillis(nowNanos) - item.enqueuedAtMillis());
        tally.attempted(item, nowNanos);
        alone += slot.isEmpty() ? 1 : 0;
        Destination.Ending ending = destination.attempt(item, item.attempts, nowNanos);
        events.at(nowNanos + ending.nanos(), now -> ended(item, slot, ending, nowNanos, now));
    }

    private void ended(
            Item item, Optional<Start<Item>> slot, Destination.Ending ending, long startedNanos, long nowNanos) {
        if (dead) {
            return;
        }
        if (ending.kills()) {
            dead = true;
            around.died(this, nowNanos);
            return;
        }
        if (slot.isPresent()) {
            dispatch.ended(slot.get(), nowNanos);
        } else {
            alone--;
            suspects.ended(item);
        }
        pulse.ended(nowNanos - startedNanos);
        tally.held(item, nowNanos - startedNanos);
        settle(item, ending.result(), nowNanos);
        around.wantBeat(nowNanos);
        next(nowNanos);
        if (inFlight() < plant.dispatch().slots() && hasUnread()) {
            poll(nowNanos);
        }
    }

    private void settle(Item item, AttemptResult result, long nowNanos) {
        String tenant = population.name(item.tenant);
        TenantPolicy policy = population.policy(item.tenant);
        if (result instanceof AttemptResult.Failed || result instanceof AttemptResult.TimedOut) {
            budgets.failed(tenant, DESTINATION);
        }
        NextStep next = AttemptRules.nextStep(
                result, item.attempts, policy, 0, destination.chanceAfter(item, item.attempts), Time.epochMillis(nowNanos));
        switch (next) {
            case NextStep.Done done -> {
                budgets.succeeded(tenant, DESTINATION);
                item.home.settle(item);
                tally.done(item);
            }
            case NextStep.DeadLetter letter -> move(item, new Move(item, Lane.DEAD_LETTER, letter.attempts(), item.moves, 0));
            // Moves are bounded from one attempt to the next.
            case NextStep.Delay delay -> move(item, new Move(item, Lane.DELAY, delay.attempts(), 0, delay.dueMillis()));
            case NextStep.GiveBack giveBack -> throw new IllegalStateException("nothing interrupts an attempt here");
        }
    }

    private void lookAtSuspects(long nowNanos) {
        for (Optional<Item> next = suspects.nextWhenFree(); next.isPresent(); next = suspects.nextWhenFree()) {
            Item item = next.get();
            Optional<Route> stale = staleness(item, nowNanos);
            if (stale.isPresent()) {
                setAside(item, stale.get());
                continue;
            }
            switch (SuspectRules.decide(item.offset, item.home.progress.takenOverMark(), plant.killerDeaths())) {
                case SuspectDecision.RunAlone run -> {
                    suspects.mark(item, run.mark());
                    wantCommit(nowNanos);
                }
                case SuspectDecision.Convict convict ->
                        move(item, new Move(item, Lane.DEAD_LETTER, item.attempts, item.moves, 0));
                case SuspectDecision.RunFreely freely -> throw new IllegalStateException("suspicion is turned off");
            }
        }
    }

    private Optional<Route> staleness(Item item, long nowNanos) {
        return RoutingRules.staleness(item.enqueuedAtMillis(), item.enqueuedAtMillis(), population.policy(item.tenant),
                        population.sweptBeforeMillis(item.tenant, nowNanos), Time.epochMillis(nowNanos))
                .filter(route -> route instanceof Route.Drop || item.lane == Lane.HOT);
    }

    private void setAside(Item item, Route stale) {
        switch (stale) {
            case Route.Drop drop -> {
                item.home.settle(item);
                tally.dropped(item);
            }
            case Route.ToLane to -> move(item, new Move(item, to.lane(), item.attempts, item.moves + 1, 0));
            case Route.DeadLetter letter -> throw new IllegalStateException("age makes no dead letters");
        }
    }

    private void move(Item item, Move move) {
        item.home.settle(item);
        open.add(move);
    }

    private void wantCommit(long nowNanos) {
        if (!urgent) {
            urgent = true;
            events.at(nowNanos + URGENT_NANOS, now -> {
                if (urgent && !dead) {
                    commit(now);
                }
            });
        }
    }

    private boolean hasUnread() {
        for (LanePartition each : partitions) {
            if (each.hasUnread() && !each.progress.isFull() && !dispatch.isFull(each.lane)) {
                return true;
            }
        }
        return false;
    }
}
