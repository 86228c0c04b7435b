package io.spillway.core.overload;

import io.spillway.core.item.Lane;
import io.spillway.core.item.PoolName;
import io.spillway.core.progress.SuspectStatus;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Load of one worker as it reports it.
 *
 * @param slots             maximum concurrent handlers, 1 to 100,000
 * @param possiblePerSecond capacity in items a second: slots divided by the mean time in a slot (Little's law); 0
 *                          before the first attempt
 * @param hotPerSecond      the same for items of hot, which go first: a flood of slow items elsewhere does not delay
 *                          them; of all lanes before the first one
 * @param handledPerSecond  attempts of all lanes that ended, a second, since the last report
 * @param waiting           hot items read and not started, 0 or more
 * @param ageMillis         mean age of hot items at their first attempt since the last report; 0 for none
 * @param owned             partitions that it works on, by lane; a lane without any may be absent; copied
 * @param pool              the worker's pool, see {@link PoolName}
 * @param use               attempts that it runs
 * @param suspects          its suspects, for other workers
 */
public record WorkerReport(
        int slots, double possiblePerSecond, double hotPerSecond, double handledPerSecond, long waiting,
        double ageMillis, Map<Lane, Set<Integer>> owned, String pool, SlotUse use, SuspectStatus suspects) {
    private static final double MAX = 1e12;

    /** @throws IllegalArgumentException when a value is out of its range */
    public WorkerReport {
        if (slots < 1 || slots > 100_000 || waiting < 0
                || isOutOfRange(possiblePerSecond) || isOutOfRange(hotPerSecond) || isOutOfRange(handledPerSecond)
                || isOutOfRange(ageMillis)) {
            throw new IllegalArgumentException("slots = " + slots + ", possible = " + possiblePerSecond
                    + "/s, of hot = " + hotPerSecond + "/s, handled = " + handledPerSecond + "/s, waiting = " + waiting
                    + ", age = " + ageMillis
                    + " ms: slots must be from 1 to 100000, the others 0 or more");
        }
        if (!PoolName.isValid(pool)) {
            throw new IllegalArgumentException("pool: must be " + PoolName.RULE);
        }
        Map<Lane, Set<Integer>> given = owned;
        owned = Lane.WORKED.stream().collect(Collectors.toUnmodifiableMap(
                lane -> lane, lane -> Set.copyOf(given.getOrDefault(lane, Set.of()))));
    }

    /** Creates a report of a worker of the shared pool that runs nothing and has no suspects. */
    public WorkerReport(
            int slots, double possiblePerSecond, double hotPerSecond, double handledPerSecond, long waiting,
            double ageMillis, Map<Lane, Set<Integer>> owned) {
        this(slots, possiblePerSecond, hotPerSecond, handledPerSecond, waiting, ageMillis, owned, PoolName.SHARED,
                SlotUse.NONE, SuspectStatus.NONE);
    }

    /** Returns this report with the pool, the attempts and the suspects of the worker. */
    public WorkerReport with(String itsPool, SlotUse itsUse, SuspectStatus itsSuspects) {
        return new WorkerReport(slots, possiblePerSecond, hotPerSecond, handledPerSecond, waiting, ageMillis, owned,
                itsPool, itsUse, itsSuspects);
    }

    /** Returns whether every slot has an attempt. */
    public boolean isFull() {
        return use.running() >= slots;
    }

    /** Returns the partitions of hot, overflow or aged that the worker owns; empty for none. */
    public Set<Integer> owned(Lane lane) {
        return owned.get(lane);
    }

    private static boolean isOutOfRange(double number) {
        return !(number >= 0 && number <= MAX);
    }
}
