package io.spillway.core.engine;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.DestinationHealth;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.handler.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * Engine on a timeline that the test sets. It records its effects in order. Every tenant has one policy: 10 s to aged,
 * 60 s to live, 3 attempts with waits of 1 s and 2 s.
 */
final class EngineTimeline implements ItemPolicies<EngineTimeline.Item> {
    /** Tenant of records that contain no item. */
    static final String UNREADABLE = "unreadable";
    /** Tenant of items of which four fill the read-ahead of a lane. */
    static final String LARGE = "large";
    /** Tenant of items with which two workers were lost. */
    static final String LOST = "lost";
    static final long START_MILLIS = 1_700_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private PolicySettings settings = PolicySettings.NONE_SET
            .with(PolicyField.AGED_AFTER, "10s").with(PolicyField.TTL, "60s").with(PolicyField.SWEEPABLE, "true")
            .with(PolicyField.ATTEMPTS, "3").with(PolicyField.BACKOFF_BASE, "1s").with(PolicyField.BACKOFF_CAP, "10s")
            .with(PolicyField.JITTER, "none");
    private final List<String> effects = new ArrayList<>();
    private final Map<Long, Attempt> attempts = new HashMap<>();
    final WorkerEngine<Item, Attempt> engine;
    long nowMillis = START_MILLIS;
    long clockAheadMillis;
    /** What other threads change after each of the next looks at a policy. */
    final Queue<Runnable> changes = new ArrayDeque<>();
    /** Tenant whose items belong into other partitions; empty for none. */
    String misplaced = "";
    long sweptBeforeMillis = ItemEnds.NO_SWEEP_MILLIS;

    /** Every attempt before was the item's own failure. */
    record Item(
            EnginePartition partition, long offset, String tenant, String workload, int attempts, int moves,
            long enqueuedAtMillis) implements EngineItem {
        Item(EnginePartition partition, long offset, String tenant, int attempts, int moves, long enqueuedAtMillis) {
            this(partition, offset, tenant, "", attempts, moves, enqueuedAtMillis);
        }

        @Override
        public int blameThousandths() {
            return attempts * DestinationHealth.WHOLE;
        }

        @Override
        public long waitMillis() {
            return 0;
        }

        @Override
        public Optional<Route.DeadLetter> unreadable() {
            return tenant.equals(UNREADABLE)
                    ? Optional.of(new Route.DeadLetter(DeadReason.MALFORMED, "as requested")) : Optional.empty();
        }

        /** An item that starts before its commit has the negative offset of its record. */
        @Override
        public Object identity() {
            return Math.abs(offset);
        }

        @Override
        public ItemTimes times() {
            return new ItemTimes(enqueuedAtMillis, enqueuedAtMillis, enqueuedAtMillis, 0, attempts > 0);
        }

        @Override
        public int losses() {
            return tenant.equals(LOST) ? 2 : 0;
        }

        @Override
        public int bytes() {
            return tenant.equals(LARGE) ? 1 << 18 : 1;
        }
    }

    static final class Attempt extends EngineAttempt<Item> {
        Attempt(Item item, SlotLease<Item> slot, TenantPolicy policy, AttemptTimeout timeout, long startedNanos) {
            super(item, slot, policy, timeout, startedNanos);
        }
    }

    /** Creates an engine with three deaths for a conviction. */
    EngineTimeline(int slots) {
        this(slots, 3);
    }

    EngineTimeline(int slots, int killerDeaths) {
        this(slots, killerDeaths, 1);
    }

    /** @param batchItems most items in a call */
    EngineTimeline(int slots, int killerDeaths, int batchItems) {
        engine = new WorkerEngine<>(
                new DispatchSettings(slots, 0, 0.05, 0.02, 400, 1 << 20, 100, false),
                new DestinationHealth(10), killerDeaths, this, Attempt::new, first -> batchItems);
    }

    /** Sets a field of the policy of every tenant. */
    void set(PolicyField field, String value) {
        settings = settings.with(field, value);
    }

    /** Creates a new partition with one commit: its first 128 offsets may start. */
    EnginePartition partition(Lane lane) {
        EnginePartition partition = takeOver(lane, ProgressState.fresh(0));
        commit(partition);
        return partition;
    }

    EnginePartition takeOver(Lane lane, ProgressState before) {
        return new EnginePartition(
                lane.label(), lane,
                new PartitionProgress(before, Long.MAX_VALUE, PartitionProgress.DEFAULT_MAX_UNFINISHED));
    }

    /** Adds an item of tenant acme with this age, and fills free slots. */
    void arrives(EnginePartition partition, long offset, long ageMillis) {
        arrives(new Item(partition, offset, "acme", 0, 0, nowMillis - ageMillis));
    }

    void arrives(Item item) {
        receives(item);
        fill();
    }

    /** Offers an item of a tenant before its commit. */
    void startsEarly(EnginePartition partition, long offset, String tenant) {
        startsEarly(new Item(partition, -offset, tenant, 0, 0, nowMillis));
    }

    void startsEarly(Item item) {
        carryOut(engine.startEarly(item, true, Integer.MAX_VALUE, nowMillis, nowNanos()));
    }

    void receives(Item item) {
        carryOut(engine.received(item.partition(), List.of(item), item.partition().position(), nowMillis));
    }

    void fill() {
        carryOut(engine.fillSlots(true, Integer.MAX_VALUE, nowMillis, nowNanos()));
    }

    void makeRoom() {
        carryOut(engine.makeRoom(nowMillis, nowNanos()));
    }

    void endOverdue() {
        carryOut(engine.endOverdue(nowMillis, nowNanos()));
    }

    boolean mayRead(EnginePartition partition) {
        return engine.mayRead(partition, 1);
    }

    boolean hasLeavingAttempts() {
        return engine.attempts().stream().anyMatch(attempt -> attempt.item.partition().isLeaving());
    }

    ProgressState commit(EnginePartition partition) {
        ProgressState snapshot = engine.snapshot(partition);
        committed(partition, snapshot);
        return snapshot;
    }

    void committed(EnginePartition partition, ProgressState snapshot) {
        carryOut(engine.committed(partition, snapshot, nowMillis, nowNanos()));
        fill();
    }

    void ends(long offset, Outcome result) {
        ends(attempt(offset), result);
    }

    void ends(Attempt attempt, Outcome result) {
        carryOut(engine.ended(attempt, result, new SplittableRandom(0), nowMillis, nowNanos()));
        fill();
    }

    /** Returns the latest attempt of an offset. */
    Attempt attempt(long offset) {
        return attempts.get(offset);
    }

    void leave(EnginePartition partition) {
        engine.leave(List.of(partition), nowNanos());
    }

    /** Claims the items of long attempts. */
    void claimLong() {
        carryOut(engine.claims().ofLong(nowNanos()));
    }

    void claimLeaving() {
        carryOut(engine.claims().ofLeaving());
    }

    void forget(EnginePartition partition) {
        carryOut(engine.forget(List.of(partition), nowNanos()));
    }

    /** Returns the effects since the last call. */
    List<String> effects() {
        List<String> taken = List.copyOf(effects);
        effects.clear();
        return taken;
    }

    long nowNanos() {
        return (nowMillis - START_MILLIS) * NANOS_PER_MILLI;
    }

    @Override
    public TenantPolicy policyOf(Item item) {
        TenantPolicy policy = TenantPolicy.of(settings);
        Optional.ofNullable(changes.poll()).ifPresent(Runnable::run);
        return policy;
    }

    @Override
    public long sweptBeforeMillis(String tenant, String workload, long marginMillis, long atMillis) {
        return sweptBeforeMillis;
    }

    @Override
    public boolean isMisplaced(Item item) {
        return item.tenant().equals(misplaced);
    }

    @Override
    public long clockAheadMillis() {
        return clockAheadMillis;
    }

    private void carryOut(List<Step<Item, Attempt>> steps) {
        for (Step<Item, Attempt> step : steps) {
            effects.add(switch (step) {
                case Step.Start(Attempt attempt) -> {
                    attempts.put(attempt.item.offset(), attempt);
                    yield "start " + attempt.item.offset() + (attempt.slot == null ? " alone" : "");
                }
                case Step.Ride(Attempt lead, Attempt rider) -> {
                    attempts.put(rider.item.offset(), rider);
                    yield "ride " + rider.item.offset() + " with " + lead.item.offset();
                }
                case Step.Done(Attempt attempt) -> "done " + attempt.item.offset();
                case Step.Drop(Item item, DropReason reason) -> "drop " + item.offset() + ": " + reason.label();
                case Step.Move(Item item, Lane to, LaneReason reason, int moves, long dueMillis) ->
                        "move " + item.offset() + " to " + to.label() + ": " + reason.label() + ", moves " + moves
                                + (dueMillis == 0 ? "" : ", due at " + (dueMillis - START_MILLIS));
                case Step.Retry(Attempt attempt, NextStep.Delay next) ->
                        "retry " + attempt.item.offset() + ": attempts " + next.attempts() + ", blame "
                                + next.blameThousandths() + ", due at " + (next.dueMillis() - START_MILLIS);
                case Step.DeadLetter(Item item, var attempt, Route.DeadLetter why, int attemptsMade) ->
                        attempt.isEmpty() && attemptsMade == item.attempts()
                                ? "end " + item.offset() + ": " + why.reason().label() + ", " + why.detail()
                                : "dead-letter " + item.offset() + ": " + why.reason().label() + ", " + why.detail()
                                        + ", attempts " + attemptsMade;
                case Step.Commit() -> "commit wanted";
                case Step.Abandon(Attempt attempt) -> "abandon " + attempt.item.offset();
                case Step.Claim(Attempt attempt) -> "claim " + attempt.item.offset();
                case Step.Settle(Attempt attempt, NextStep next) ->
                        "settle " + attempt.item.offset() + " " + next.getClass().getSimpleName();
            });
        }
    }

    /** Tells the engine, which is worker b, of a worker a with these suspects and convictions. */
    void follow(long sinceMillis, long turnMillis, String... convicted) {
        Map<String, Long> atMillis = new HashMap<>();
        for (String tenant : convicted) {
            atMillis.put(tenant, nowMillis);
        }
        engine.follow("b", Map.of("a", new SuspectStatus.Received(
                new SuspectStatus(sinceMillis, turnMillis, atMillis), nowMillis)));
    }
}
