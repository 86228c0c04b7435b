package io.spillway.core.engine;

import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectMark;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Suspects: items that were, or may have been, running when the previous worker died. They run one at a time beside the
 * ordinary items, each after a commit that marks it. One that ignores the end of its lease delays only those of its
 * tenant.
 *
 * <p>Owner: the {@link WorkerEngine}. Bounds: the unfinished items of the owned partitions; {@link #MAX_CONVICTED}
 * tenants.
 */
final class Quarantine<T extends EngineItem> {
    /** Time for a handler to return after its interrupt. */
    static final long DEAF_AFTER_MILLIS = 1_000;
    /** Restarts and takeovers of all killers of a tenant take less; a later death has nothing to do with them. */
    static final long CONVICTED_MILLIS = 600_000;
    /** More tenants with killers within that time are judged by the number of deaths alone. */
    private static final int MAX_CONVICTED = 1_000;

    private final Queue<T> waiting = new ArrayDeque<>();
    /** By tenant: a suspect that still runs after the end of its lease, and those that wait behind it. */
    private final Map<String, Deaf<T>> deaf = new HashMap<>();
    /** Tenants of convicted suspects, with the time of the last conviction. */
    private final Map<String, Long> convictedAtMillis = new LinkedHashMap<>();
    private T marked;
    private SuspectMark mark;
    private boolean running;
    private Optional<EngineAttempt<T>> attempt = Optional.empty();

    private record Deaf<T>(T suspect, Queue<T> behind) {}

    void add(T suspect) {
        Deaf<T> before = deaf.get(suspect.tenant());
        (before == null ? waiting : before.behind()).add(suspect);
    }

    /**
     * Removes the next suspect to decide on, when none is marked. A suspect with counted deaths comes first: a death
     * while another suspect of its partition is marked would lose the count. Then those of tenants with a conviction,
     * which this process alone knows about.
     */
    Optional<T> next(long nowMillis) {
        if (attempt.isPresent() && attempt.get().isDeaf(nowMillis)) {
            passDeaf();
        }
        if (marked != null || waiting.isEmpty()) {
            return Optional.empty();
        }
        Optional<T> first = waiting.stream().filter(Quarantine::hasDeaths).findFirst();
        if (first.isEmpty() && !convictedAtMillis.isEmpty()) {
            first = waiting.stream().filter(suspect -> hasConvicted(suspect.tenant(), nowMillis)).findFirst();
        }
        first.ifPresent(waiting::remove);
        return first.or(() -> Optional.ofNullable(waiting.poll()));
    }

    /** Marks a suspect; it runs after {@link #committed}. */
    void mark(T suspect, SuspectMark newMark) {
        marked = suspect;
        mark = newMark;
        running = false;
        suspect.partition().markDirty();
    }

    /** Returns the mark to commit with a partition. */
    Optional<SuspectMark> markOf(EnginePartition partition) {
        return marked != null && marked.partition() == partition ? Optional.of(mark) : Optional.empty();
    }

    /** Returns the tenant whose marked suspect is isolated: no other item of the tenant may start. */
    Optional<String> isolatedTenant() {
        return marked != null && mark.isolated() ? Optional.of(marked.tenant()) : Optional.empty();
    }

    /** Returns the marked suspect when this snapshot contains its mark: the caller must start it. */
    Optional<T> committed(EnginePartition partition, ProgressState snapshot) {
        if (marked == null || running || marked.partition() != partition
                || !snapshot.mark().equals(Optional.of(mark))) {
            return Optional.empty();
        }
        running = true;
        return Optional.of(marked);
    }

    /** Records the attempt of the marked suspect. */
    void started(EngineAttempt<T> its) {
        attempt = Optional.of(its);
    }

    /** Ends the attempt of a suspect: the next commit removes its mark. One that ran to its end is innocent. */
    void ended(T suspect, boolean innocent) {
        if (innocent) {
            convictedAtMillis.remove(suspect.tenant());
        }
        Deaf<T> was = deaf.get(suspect.tenant());
        if (marked == suspect) {
            clearMark();
        } else if (was != null && was.suspect() == suspect) {
            deaf.remove(suspect.tenant());
            waiting.addAll(was.behind());
        }
    }

    /** Records the conviction of a suspect of this tenant. */
    void convicted(String tenant, long nowMillis) {
        convictedAtMillis.remove(tenant);
        convictedAtMillis.put(tenant, nowMillis);
        if (convictedAtMillis.size() > MAX_CONVICTED) {
            Iterator<String> oldest = convictedAtMillis.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Returns whether a suspect of this tenant was convicted here and none has ended its attempt since. */
    boolean hasConvicted(String tenant, long nowMillis) {
        Long atMillis = convictedAtMillis.get(tenant);
        return atMillis != null && nowMillis - atMillis < CONVICTED_MILLIS;
    }

    /** Removes the suspects of revoked partitions, except those that run. */
    void forgetLeaving() {
        waiting.removeIf(suspect -> suspect.partition().leaving);
        deaf.values().forEach(each -> each.behind().removeIf(suspect -> suspect.partition().leaving));
        if (marked != null && marked.partition().leaving && !running) {
            clearMark();
        }
    }

    /** Visits the suspects that wait for a decision or behind another one. */
    void forEachWaiting(Consumer<T> visitor) {
        waiting.forEach(visitor);
        deaf.values().forEach(each -> each.behind().forEach(visitor));
    }

    int size() {
        return waiting.size() + (marked == null ? 0 : 1)
                + deaf.values().stream().mapToInt(each -> 1 + each.behind().size()).sum();
    }

    /** Lets the suspects of other tenants run beside a marked one that ignores its interrupt. */
    private void passDeaf() {
        Queue<T> behind = new ArrayDeque<>();
        String tenant = marked.tenant();
        waiting.removeIf(suspect -> suspect.tenant().equals(tenant) && behind.add(suspect));
        deaf.put(tenant, new Deaf<>(marked, behind));
        // It has outlived its lease without killing the worker.
        convictedAtMillis.remove(tenant);
        clearMark();
    }

    private void clearMark() {
        marked.partition().markDirty();
        marked = null;
        attempt = Optional.empty();
    }

    private static boolean hasDeaths(EngineItem suspect) {
        return suspect.partition().progress.takenOverMark()
                .filter(taken -> taken.offset() == suspect.offset()).isPresent();
    }
}
