package io.spillway.core.engine;

import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.routing.Route;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Suspects: items that were, or may have been, running when the last worker died, and those of tenants with a convicted
 * one. A few of each partition at a time run as ordinary items do, after a commit that marks them as a group. The
 * {@value SuspectTurn#OLDEST} oldest, those of groups with which a worker died, and those of convicted tenants run one
 * at a time in this worker's {@link SuspectTurn}, each after a commit that marks it.
 *
 * <p>Owner: the {@link WorkerEngine}. Bounds: the unfinished items of the owned partitions;
 * {@link SuspectStatus#MAX_CONVICTED} tenants.
 */
final class Quarantine<T extends EngineItem, A extends EngineAttempt<T>> {
    private final int killerDeaths;
    private final Settlement<T, A> settlement;
    private final RunningAttempts<T, A> running;
    private final List<Step<T, A>> steps;
    /** Those with which a worker died before: alone, and behind them, in a group. They run first. */
    private final Deque<T> accused = new ArrayDeque<>();
    private final Map<EnginePartition, Deque<T>> waiting = new LinkedHashMap<>();
    private final Map<EnginePartition, SuspectGroup<T>> groups = new HashMap<>();
    /** By tenant: a suspect that still runs after the end of its lease, and those that wait behind it. */
    private final Map<String, Deaf<T>> deaf = new HashMap<>();
    private final Convictions convictions = new Convictions();
    private final SuspectTurn turn = new SuspectTurn();
    private T marked;
    private SuspectMark mark;
    /** Of the marked suspect, once it runs. */
    private Optional<EngineAttempt<T>> attempt = Optional.empty();

    private record Deaf<T>(T suspect, Queue<T> behind) {}

    /** @param killerDeaths deaths that convict; 0 if nothing becomes a suspect */
    Quarantine(
            int killerDeaths, Settlement<T, A> settlement, RunningAttempts<T, A> running, List<Step<T, A>> steps) {
        this.killerDeaths = killerDeaths;
        this.settlement = settlement;
        this.running = running;
        this.steps = steps;
    }

    void add(T suspect) {
        Deaf<T> before = deaf.get(suspect.tenant());
        if (before != null) {
            before.behind().add(suspect);
        } else if (hasDeaths(suspect)) {
            accused.addFirst(suspect);
            turn.died();
        } else if (suspect.partition().progress.isAccused(suspect.offset())) {
            accused.addLast(suspect);
        } else {
            waiting.computeIfAbsent(suspect.partition(), absent -> new ArrayDeque<>()).add(suspect);
        }
    }

    /** Follows the statuses of the fleet: whose turn it is, and what others have convicted. */
    void follow(String self, Map<String, SuspectStatus.Received> fleet) {
        turn.follow(self, fleet);
        fleet.values().forEach(received -> convictions.follow(received.status().convictedAtMillis()));
    }

    /** Returns what to tell the other workers now. */
    SuspectStatus status(long nowMillis) {
        return turn.status(convictions.at(nowMillis));
    }

    /**
     * Decides on suspects until one is marked to run alone, or a few of each partition to run beside each other. One
     * with counted deaths goes first, because a death while another suspect of its partition is marked would lose the
     * count, then those of a group with which a worker died, of tenants with a conviction, and the oldest. In another
     * worker's turn it decides only on those that are convicted.
     *
     * @param isReady whether a suspect can go on; the others are removed
     */
    void decide(Predicate<T> isReady, long nowMillis, long nowNanos) {
        // A conviction suspends the turn until the others know of it.
        for (Optional<T> next = next(nowMillis, nowNanos); next.isPresent(); next = next(nowMillis, nowNanos)) {
            if (isReady.test(next.get())) {
                judge(next.get(), nowMillis);
            }
        }
        if (extendGroups(nowMillis, isReady)) {
            steps.add(new Step.Commit<>());
        }
    }

    /** Convicts a suspect with which too many workers died, or marks it: it runs after {@link #committed}. */
    private void judge(T suspect, long nowMillis) {
        SuspectMark alone = alone(suspect);
        if (alone.convicts(killerDeaths)) {
            settlement.convict(suspect, alone);
            convictions.convict(suspect.tenant(), nowMillis);
            turn.convicted();
            return;
        }
        boolean isolate = convictions.has(suspect.tenant(), nowMillis) && !running.hasTenant(suspect.tenant());
        marked = suspect;
        mark = new SuspectMark(alone.offset(), alone.deaths(), isolate);
        suspect.partition().markDirty();
        steps.add(new Step.Commit<>());
    }

    private SuspectMark alone(T suspect) {
        return SuspectMark.alone(suspect.offset(), suspect.partition().progress.takenOverMark(), killerDeaths);
    }

    private boolean hasOpen() {
        return marked != null || !accused.isEmpty() || !waiting.isEmpty();
    }

    private Optional<T> next(long nowMillis, long nowNanos) {
        boolean hasOpen = hasOpen();
        boolean isOurs = turn.isOurs(hasOpen, nowMillis);
        if (attempt.isPresent() && attempt.get().isDeaf(nowNanos)) {
            passDeaf();
        }
        groups.entrySet().removeIf(group -> group.getValue().forgetDone(group.getKey(), nowNanos));
        if (marked != null || !hasOpen || groups.values().stream().anyMatch(SuspectGroup::isRunning)) {
            return Optional.empty();
        }
        if (!isOurs) {
            Optional<T> first = accused.stream().filter(suspect -> alone(suspect).convicts(killerDeaths)).findFirst();
            first.ifPresent(accused::remove);
            return first;
        }
        Optional<T> first = Optional.ofNullable(accused.poll()).or(() -> firstConvicted(nowMillis))
                .or(() -> oldest(nowMillis));
        waiting.values().forEach(suspects -> first.ifPresent(suspects::remove));
        waiting.values().removeIf(Queue::isEmpty);
        return first;
    }

    /**
     * Adds suspects to the groups of their partitions, unless one must run alone. They run after
     * {@link #committed}, in the turn of any worker. Returns whether there are new ones.
     *
     * @param isReady whether a suspect can go on; the others are removed
     */
    private boolean extendGroups(long nowMillis, Predicate<T> isReady) {
        if (marked != null || waiting.isEmpty()
                || !turn.isPaced() && (!accused.isEmpty() || firstConvicted(nowMillis).isPresent())) {
            return false;
        }
        OptionalLong youngerThan = turn.isPaced() ? youngerThan(nowMillis) : OptionalLong.of(Long.MIN_VALUE);
        if (youngerThan.isEmpty()) {
            return false;
        }
        boolean extended = false;
        for (Map.Entry<EnginePartition, Deque<T>> entry : waiting.entrySet()) {
            SuspectGroup<T> group = groups.computeIfAbsent(entry.getKey(), absent -> new SuspectGroup<>());
            Predicate<T> joins = suspect -> !turn.isPaced() || suspect.freshSinceMillis() > youngerThan.getAsLong()
                    && !convictions.has(suspect.tenant(), nowMillis);
            if (group.extend(entry.getValue(), joins, isReady)) {
                entry.getKey().markDirty();
                extended = true;
            }
        }
        waiting.values().removeIf(Queue::isEmpty);
        return extended;
    }

    private Optional<T> oldest(long nowMillis) {
        return turn.isPaced() && groups.isEmpty() && youngerThan(nowMillis).isEmpty()
                ? waiting.values().stream().flatMap(Queue::stream).min(Comparator.comparingLong(T::freshSinceMillis))
                : Optional.empty();
    }

    /** Returns the time after which the suspects arrived that run in groups; empty while there are none. */
    private OptionalLong youngerThan(long nowMillis) {
        return SuspectTurn.youngerThan(waiting.values().stream().flatMap(Queue::stream)
                .filter(item -> !convictions.has(item.tenant(), nowMillis)).mapToLong(EngineItem::freshSinceMillis));
    }

    /**
     * Takes back a member of a group that would start beside one that runs alone, or whose tenant has a conviction, and
     * any other item of such a tenant; returns whether it did.
     */
    boolean takesBack(T item, long nowMillis) {
        if (groups.isEmpty() && convictions.isEmpty()) {
            return false;
        }
        SuspectGroup<T> group = groups.get(item.partition());
        boolean hasConvicted = convictions.has(item.tenant(), nowMillis);
        boolean isMember = group != null && (marked != null || hasConvicted)
                && group.members.remove(item) != null;
        if (isMember || hasConvicted) {
            add(item);
        }
        return isMember || hasConvicted;
    }

    /** Returns whether so many suspects of its tenant, which has a conviction, wait that an item must come later. */
    boolean hasEnoughOf(T item, long nowMillis) {
        if (!convictions.has(item.tenant(), nowMillis)) {
            return false;
        }
        return !isMember(item) && waiting.values().stream().flatMap(Queue::stream)
                .filter(suspect -> suspect.tenant().equals(item.tenant())).count() >= SuspectGroup.SIZE;
    }

    private Optional<T> firstConvicted(long nowMillis) {
        return convictions.isEmpty() ? Optional.empty() : waiting.values().stream().flatMap(Queue::stream)
                .filter(suspect -> convictions.has(suspect.tenant(), nowMillis)).findFirst();
    }

    /** Returns the mark to commit with a partition: of the suspect of it that runs alone or is next. */
    Optional<SuspectMark> markOf(EnginePartition partition) {
        return marked != null && marked.partition() == partition ? Optional.of(mark) : Optional.empty();
    }

    /** Returns one above the last suspect of the partition's group, to commit; 0 for none. */
    long groupEnd(EnginePartition partition) {
        return groups.containsKey(partition) && markOf(partition).isEmpty() ? groups.get(partition).end(partition) : 0;
    }

    /** Returns the tenant whose marked suspect is isolated: no other item of the tenant may start. */
    Optional<String> isolatedTenant() {
        return marked != null && mark.isolated() ? Optional.of(marked.tenant()) : Optional.empty();
    }

    /** Returns the suspect that this snapshot marks, unless it runs: the caller must start it alone. */
    Optional<T> committedAlone(EnginePartition partition, ProgressState snapshot) {
        Optional<SuspectMark> next = markOf(partition);
        return next.isPresent() && attempt.isEmpty() && snapshot.mark().equals(next)
                ? Optional.of(marked) : Optional.empty();
    }

    /** Returns the members of a group that wait for this snapshot: the caller must admit them. */
    List<T> committedGroup(EnginePartition partition, ProgressState snapshot) {
        SuspectGroup<T> group = groups.get(partition);
        return group == null ? List.of() : group.takeMarked(snapshot.groupEnd());
    }

    /** Records an attempt: of the marked suspect, which has no slot, of a member of a group, or of an ordinary item. */
    void started(EngineAttempt<T> newAttempt) {
        if (newAttempt.slot == null) {
            attempt = Optional.of(newAttempt);
        } else if (!groups.isEmpty() && groups.containsKey(newAttempt.item.partition())) {
            groups.get(newAttempt.item.partition()).members
                    .computeIfPresent(newAttempt.item, (item, none) -> Optional.of(newAttempt));
        }
    }

    /** Ends an attempt: the next commit removes the mark of a suspect. One that ran alone to its end is innocent. */
    void ended(EngineAttempt<T> endedAttempt, boolean innocent) {
        if (endedAttempt.slot == null) {
            endedAlone(endedAttempt.item, innocent);
        } else if (!groups.isEmpty() && groups.containsKey(endedAttempt.item.partition())) {
            groups.get(endedAttempt.item.partition()).members.remove(endedAttempt.item);
        }
    }

    private void endedAlone(T suspect, boolean innocent) {
        if (innocent) {
            convictions.acquit(suspect.tenant());
        }
        Deaf<T> was = deaf.get(suspect.tenant());
        if (marked == suspect) {
            clearMark();
        } else if (was != null && was.suspect() == suspect) {
            deaf.remove(suspect.tenant());
            was.behind().forEach(this::add);
        }
    }

    /** Removes the suspects of revoked partitions, except those that run. */
    void forgetLeaving() {
        accused.removeIf(suspect -> suspect.partition().leaving);
        waiting.keySet().removeIf(partition -> partition.leaving);
        groups.forEach((partition, group) -> {
            if (partition.leaving) {
                group.members.values().removeIf(Optional::isEmpty);
                group.unmarked.clear();
            }
        });
        deaf.values().forEach(deafSuspect -> deafSuspect.behind().removeIf(suspect -> suspect.partition().leaving));
        if (marked != null && marked.partition().leaving && attempt.isEmpty()) {
            clearMark();
        }
    }

    /** Visits the suspects that wait for a decision or behind another one. */
    void forEachWaiting(Consumer<T> visitor) {
        accused.forEach(visitor);
        waiting.values().forEach(queue -> queue.forEach(visitor));
        groups.values().forEach(group -> group.unmarked.forEach(visitor));
        deaf.values().forEach(deafSuspect -> deafSuspect.behind().forEach(visitor));
    }

    /** Returns whether there is neither a suspect nor a conviction. */
    boolean isIdle() {
        return convictions.isEmpty() && size() == 0;
    }

    int size() {
        return accused.size() + waiting.values().stream().mapToInt(Queue::size).sum() + (marked == null ? 0 : 1)
                + groups.values().stream().mapToInt(group -> group.members.size()).sum()
                + deaf.values().stream().mapToInt(deafSuspect -> 1 + deafSuspect.behind().size()).sum();
    }

    /** Lets the suspects of other tenants run beside a marked one that ignores its interrupt. */
    private void passDeaf() {
        Queue<T> behind = new ArrayDeque<>();
        String tenant = marked.tenant();
        Predicate<T> moves = suspect -> suspect.tenant().equals(tenant) && behind.add(suspect);
        accused.removeIf(moves);
        waiting.values().forEach(queue -> queue.removeIf(moves));
        waiting.values().removeIf(Queue::isEmpty);
        deaf.put(tenant, new Deaf<>(marked, behind));
        // It has outlived its lease without killing the worker.
        convictions.acquit(tenant);
        clearMark();
    }

    private void clearMark() {
        marked.partition().markDirty();
        marked = null;
        attempt = Optional.empty();
    }

    /** Returns whether an item may be moved. In aged, the deaths of workers with it would count from 0. */
    boolean mayGo(T item, Route to) {
        return !to.equals(Route.AGED) || !item.partition().isAccused(item.offset());
    }

    /** Returns whether an item runs as a suspect in a group, whose deaths its partition counts. */
    boolean isMember(T item) {
        return groups.containsKey(item.partition()) && groups.get(item.partition()).members.containsKey(item);
    }

    private static boolean hasDeaths(EngineItem suspect) {
        return suspect.partition().deathsWith(suspect.offset()) > 0;
    }
}
