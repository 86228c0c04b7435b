package io.spillway.core.engine;

import io.spillway.core.progress.SuspectStatus;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.stream.LongStream;

/**
 * Turn of one worker to try its suspects. Only one worker of the fleet tries suspects at a time, in the order in which
 * they got them, and none while a worker is missing that died in its turn: so killers of many tenants end one worker at
 * a time. A worker that dies in its turn has its next one after those that wait. The last worker, too, works for
 * {@value #REST_MILLIS} ms before it tries a suspect with which a worker died: killers end no fleet in a loop.
 *
 * <p>Every wait has an end: a turn lasts {@value #TURN_MILLIS} ms, and a missing worker counts for
 * {@value #GONE_MILLIS} ms. Old statuses let two workers have a turn, which costs a second death at a time, and nothing
 * else.
 *
 * <p>Owner: the {@link Quarantine}. Bound: the workers of the fleet.
 */
final class SuspectTurn {
    /**
     * The oldest suspects, which run one at a time without a group before: what ran when the worker died is among them.
     * Most of the younger ones arrived after that.
     */
    static final int OLDEST = 32;
    /** Time for which a worker has told that it waits, before it takes its turn: two intervals between statuses. */
    static final long SETTLE_MILLIS = 500;
    static final long TURN_MILLIS = 60_000;
    /** A status this old is that of a worker that is missing. */
    static final long MISSING_MILLIS = 5_000;
    static final long GONE_MILLIS = 30_000;
    /** Time without a trial after the return of such a worker: killers cost the others little of their capacity. */
    static final long REST_MILLIS = 20_000;
    /** A worker that has not had its turn for so long goes behind the others, which do not wait for it any more. */
    static final long WAIT_MILLIS = 600_000;

    private Map<String, SuspectStatus.Received> others = Map.of();
    private String self = "";
    private boolean isPaced;
    /** Whether a worker, such as the process before this one, has died in its turn. */
    private boolean diedInTurn;
    private long missingMillis;
    private boolean isTold = true;
    private long sinceMillis;
    private long turnMillis;

    /** Follows the statuses of all workers; the worker's own is ignored. */
    void follow(String name, Map<String, SuspectStatus.Received> fleet) {
        self = name;
        others = new HashMap<>(fleet);
        SuspectStatus.Received own = others.remove(name);
        diedInTurn |= !isPaced && own != null && own.status().turnMillis() != 0;
        isPaced = true;
    }

    /** Records that a worker has died with a suspect that ran alone. */
    void died() {
        diedInTurn = true;
    }

    /** Returns whether the statuses of the fleet are known, be it of no other worker. */
    boolean isPaced() {
        return isPaced;
    }

    /** Returns whether suspects may start now. */
    boolean isOurs(boolean hasSuspects, long nowMillis) {
        if (diedInTurn) {
            diedInTurn = false;
            missingMillis = nowMillis;
        }
        if (!hasSuspects) {
            sinceMillis = 0;
            turnMillis = 0;
            return false;
        }
        // The clock may have been set back.
        missingMillis = Math.min(missingMillis, nowMillis);
        sinceMillis = Math.min(sinceMillis, nowMillis);
        turnMillis = Math.min(turnMillis, nowMillis);
        long heldMillis = nowMillis - (turnMillis == 0 ? sinceMillis : turnMillis);
        if (sinceMillis == 0 || heldMillis >= (turnMillis == 0 ? WAIT_MILLIS : TURN_MILLIS)) {
            sinceMillis = nowMillis;
            turnMillis = 0;
        }
        if (turnMillis == 0 && mayTake(nowMillis)) {
            turnMillis = nowMillis;
        }
        return turnMillis != 0 && (isTold || others.isEmpty());
    }

    /** Records a conviction: the others must know of it before the next trial, in which this process may die. */
    void convicted() {
        isTold = false;
    }

    /** Returns the status to publish now. */
    SuspectStatus status(Map<String, Long> convictedAtMillis) {
        isTold = true;
        return new SuspectStatus(sinceMillis, turnMillis, convictedAtMillis);
    }

    /** Returns after which time the suspects arrived that are not among the oldest; empty without any. */
    static OptionalLong youngerThan(LongStream arrivedMillis) {
        PriorityQueue<Long> oldest = new PriorityQueue<>(Comparator.reverseOrder());
        LongSummaryStatistics all = arrivedMillis.peek(atMillis -> {
            oldest.add(atMillis);
            if (oldest.size() > OLDEST) {
                oldest.remove();
            }
        }).summaryStatistics();
        if (all.getCount() <= OLDEST) {
            return OptionalLong.empty();
        }
        // Of more than that of one moment, none is older.
        return OptionalLong.of(all.getMax() > oldest.peek() ? oldest.peek() : oldest.peek() - 1);
    }

    private boolean mayTake(long nowMillis) {
        if (others.isEmpty()) {
            return !isPaced || nowMillis - missingMillis >= REST_MILLIS;
        }
        if (others.values().stream().anyMatch(other -> isMissing(other, nowMillis))) {
            missingMillis = nowMillis;
        }
        return nowMillis - sinceMillis >= SETTLE_MILLIS && nowMillis - missingMillis >= REST_MILLIS
                && others.entrySet().stream().noneMatch(other -> isBefore(other.getKey(), other.getValue(), nowMillis));
    }

    private static boolean isMissing(SuspectStatus.Received received, long nowMillis) {
        long ageMillis = nowMillis - received.atMillis();
        return received.status().turnMillis() != 0
                && ageMillis >= MISSING_MILLIS && ageMillis < GONE_MILLIS;
    }

    private boolean isBefore(String name, SuspectStatus.Received received, long nowMillis) {
        SuspectStatus other = received.status();
        if (nowMillis - received.atMillis() >= MISSING_MILLIS) {
            return false;
        }
        if (other.turnMillis() != 0) {
            return nowMillis - other.turnMillis() < TURN_MILLIS;
        }
        boolean isEarlier = other.sinceMillis() < sinceMillis
                || other.sinceMillis() == sinceMillis && name.compareTo(self) < 0;
        return other.sinceMillis() != 0 && isEarlier && nowMillis - other.sinceMillis() < WAIT_MILLIS;
    }
}
