package io.spillway.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/**
 * The attempts under way, whoever owns their partitions by now. Belongs to whoever holds the lock of
 * {@link WorkerCore}.
 *
 * <p>Bound: the slots, one suspect, and one item behind each attempt that outlived its partition.
 */
final class Running {
    /** In no order; each knows its place in it. */
    private final List<Attempt> attempts = new ArrayList<>();
    /** Those of partitions that are given up: their records may come again, which those of partitions owned now cannot. */
    private final Set<Place> abandoned = new HashSet<>();
    private final Map<Place, LaneItem> behind = new HashMap<>();

    /** Where a record lies, whoever owns it. */
    private record Place(TopicPartition partition, long offset) {
        static Place of(LaneItem item) {
            return new Place(item.home().partition, item.offset());
        }
    }

    void add(Attempt attempt) {
        attempt.runningIndex = attempts.size();
        attempts.add(attempt);
    }

    /**
     * Makes an item wait for an attempt of the same record, handed out before its partition went and came back: there
     * are never two attempts of one item in one process.
     *
     * @return whether there is such an attempt
     */
    boolean waitBehind(LaneItem item) {
        if (abandoned.isEmpty()) {
            return false;
        }
        Place place = Place.of(item);
        if (!abandoned.contains(place)) {
            return false;
        }
        behind.put(place, item);
        return true;
    }

    /** Takes an attempt out, and the item that waited for its end. */
    Optional<LaneItem> remove(Attempt attempt) {
        Attempt last = attempts.removeLast();
        if (last != attempt) {
            attempts.set(attempt.runningIndex, last);
            last.runningIndex = attempt.runningIndex;
        }
        if (!attempt.item.home().gone) {
            return Optional.empty();
        }
        Place place = Place.of(attempt.item);
        abandoned.remove(place);
        return Optional.ofNullable(behind.remove(place)).filter(item -> !item.home().leaving);
    }

    /** Forgets what waits and belongs to partitions that are left. */
    void forgetLeaving() {
        behind.values().removeIf(item -> item.home().leaving);
    }

    boolean any(Predicate<OwnedPartition> homes) {
        return attempts.stream().anyMatch(attempt -> homes.test(attempt.item.home()));
    }

    /** Interrupts the attempts of partitions that are given up for good; what they are of may come again. */
    void abandon() {
        for (Attempt attempt : attempts) {
            if (attempt.item.home().gone) {
                abandoned.add(Place.of(attempt.item));
            }
        }
        interrupt(home -> home.gone);
    }

    /** Interrupts the attempts of partitions that are left. */
    void interrupt(Predicate<OwnedPartition> homes) {
        attempts.stream()
                .filter(attempt -> homes.test(attempt.item.home()))
                .forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
    }

    /**
     * Interrupts the attempts whose lease is over.
     *
     * @return how many
     */
    int interruptOverdue(long nowMillis) {
        return (int) attempts.stream().filter(attempt -> attempt.interruptIfOverdue(nowMillis)).count();
    }

    /** Remembers, of the partitions that are left, those of which an attempt is ending this process. */
    void findProcessEnders() {
        attempts.stream()
                .filter(attempt -> attempt.item.home().leaving && attempt.endsProcess())
                .forEach(attempt -> attempt.item.home().killed = true);
    }

    int size() {
        return attempts.size();
    }

    /** Attempts that were interrupted and go on all the same. */
    int deaf() {
        return (int) attempts.stream().filter(Attempt::isInterrupted).count();
    }
}
