package io.spillway.worker;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/**
 * The attempts under way, whoever owns their partitions by now. Belongs to whoever holds the lock of
 * {@link WorkerCore}.
 *
 * <p>Bound: the slots, one suspect, and one item behind each attempt that outlived its partition.
 */
final class Running {
    private final Map<Place, Attempt> attempts = new HashMap<>();
    private final Map<Place, LaneItem> behind = new HashMap<>();

    /** Where a record lies, whoever owns it. */
    private record Place(TopicPartition partition, long offset) {
        static Place of(LaneItem item) {
            return new Place(item.home().partition, item.offset());
        }
    }

    void add(Attempt attempt) {
        attempts.put(Place.of(attempt.item), attempt);
    }

    /**
     * Makes an item wait for an attempt of the same record, handed out before its partition went and came back: there
     * are never two attempts of one item in one process.
     *
     * @return whether there is such an attempt
     */
    boolean waitBehind(LaneItem item) {
        Place place = Place.of(item);
        if (!attempts.containsKey(place)) {
            return false;
        }
        behind.put(place, item);
        return true;
    }

    /** Takes an attempt out, and the item that waited for its end. */
    Optional<LaneItem> remove(Attempt attempt) {
        Place place = Place.of(attempt.item);
        attempts.remove(place);
        return Optional.ofNullable(behind.remove(place)).filter(item -> !item.home().leaving);
    }

    /** Forgets what waits and belongs to partitions that are left. */
    void forgetLeaving() {
        behind.values().removeIf(item -> item.home().leaving);
    }

    boolean any(Predicate<OwnedPartition> homes) {
        return attempts.values().stream().anyMatch(attempt -> homes.test(attempt.item.home()));
    }

    /** Interrupts the attempts of partitions that are left. */
    void interrupt(Predicate<OwnedPartition> homes) {
        attempts.values().stream()
                .filter(attempt -> homes.test(attempt.item.home()))
                .forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
    }

    /**
     * Interrupts the attempts whose lease is over.
     *
     * @return how many
     */
    int interruptOverdue(long nowMillis) {
        return (int) attempts.values().stream().filter(attempt -> attempt.interruptIfOverdue(nowMillis)).count();
    }

    /** Remembers, of the partitions that are left, those of which an attempt is ending this process. */
    void findProcessEnders() {
        attempts.values().stream()
                .filter(attempt -> attempt.item.home().leaving && attempt.endsProcess())
                .forEach(attempt -> attempt.item.home().killed = true);
    }

    int size() {
        return attempts.size();
    }

    /** Attempts that were interrupted and go on all the same. */
    int deaf() {
        return (int) attempts.values().stream().filter(Attempt::isInterrupted).count();
    }
}
