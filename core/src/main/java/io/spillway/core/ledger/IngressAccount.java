package io.spillway.core.ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets of ingress that the transactions of all routers have committed, by the ledger. Each transaction of a
 * partition begins where the one before it ended. If Kafka commits one in some partitions and aborts it in others, one
 * is missing here, or a later one begins at the same offset again.
 *
 * <p>Immutable. Bound: {@value #MOST_PARTITIONS} partitions, and {@value #MOST_FINDINGS} findings, of which the oldest
 * is forgotten for the next.
 *
 * @param next     by partition, the offset at which the next transaction begins
 * @param findings in the order of their detection
 */
public record IngressAccount(Map<Integer, Long> next, List<Finding> findings) {
    /** Nothing was committed yet. */
    public static final IngressAccount EMPTY = new IngressAccount(Map.of(), List.of());
    /** Most partitions of ingress that are followed. */
    public static final int MOST_PARTITIONS = 10_000;
    /** {@link Range#from} of a partition that had no committed offset, or whose findings an operator accepts. */
    public static final long UNKNOWN = -1;

    static final int MOST_FINDINGS = 100;

    /** What is wrong with a range of offsets. */
    public enum Kind {
        /** Passed by no transaction of the ledger: its items may be lost. */
        MISSING,
        /** Passed by two: its items may have been moved twice. */
        REPEATED;

        /** Returns the name in lower case. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Offsets of a partition of ingress.
     *
     * @param from the first; {@link #UNKNOWN} if there was no commit before
     * @param to   the one after the last, {@code from} or more
     */
    public record Range(int partition, long from, long to) {}

    /** Range that is missing or repeated, since when. */
    public record Finding(Kind kind, Range range, long atMillis) {}

    /** Copies both. */
    public IngressAccount {
        next = Collections.unmodifiableMap(new TreeMap<>(next));
        findings = List.copyOf(findings);
    }

    /**
     * Returns the account after a transaction. A partition without an earlier one begins with it; one that begins at
     * {@link #UNKNOWN} begins again, without its findings.
     */
    public IngressAccount after(List<Range> committed, long atMillis) {
        Map<Integer, Long> after = new TreeMap<>(next);
        List<Finding> found = new ArrayList<>(findings);
        for (Range range : committed) {
            Long expected = after.get(range.partition());
            if (range.from() == UNKNOWN) {
                found.removeIf(finding -> finding.range().partition() == range.partition());
            } else if (expected != null && range.from() > expected) {
                add(found, Kind.MISSING, new Range(range.partition(), expected, range.from()), atMillis);
            } else if (expected != null && range.from() < expected) {
                add(found, Kind.REPEATED,
                        new Range(range.partition(), range.from(), Math.min(range.to(), expected)), atMillis);
            }
            if (expected != null || after.size() < MOST_PARTITIONS) {
                after.merge(range.partition(), range.to(), Math::max);
            }
        }
        return new IngressAccount(after, found);
    }

    /** A repetition goes on over several transactions: its ranges are one finding. */
    private static void add(List<Finding> findings, Kind kind, Range range, long atMillis) {
        if (range.from() == range.to()) {
            return;
        }
        for (int i = 0; i < findings.size(); i++) {
            Range earlier = findings.get(i).range();
            if (findings.get(i).kind() == kind && earlier.partition() == range.partition()
                    && earlier.to() == range.from()) {
                findings.set(i, new Finding(kind, new Range(range.partition(), earlier.from(), range.to()), atMillis));
                return;
            }
        }
        if (findings.size() >= MOST_FINDINGS) {
            findings.removeFirst();
        }
        findings.add(new Finding(kind, range, atMillis));
    }

    /** Returns the number of findings of a kind. */
    public long count(Kind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).count();
    }

    /** Returns the account without the findings from before a time. */
    public IngressAccount forget(long beforeMillis) {
        return new IngressAccount(
                next, findings.stream().filter(finding -> finding.atMillis() >= beforeMillis).toList());
    }

    /**
     * Returns the findings, and those of offsets that a group has committed without the ledger, or the ledger without
     * the group: the last transaction of a partition has no later one to show it.
     *
     * @param before by partition, what the group had committed before the ledger was read to its end
     * @param after  the same, after it
     */
    public List<Finding> findings(Map<Integer, Long> before, Map<Integer, Long> after, long nowMillis) {
        List<Finding> all = new ArrayList<>(findings);
        next.forEach((partition, to) -> {
            long least = before.getOrDefault(partition, to);
            long most = after.getOrDefault(partition, to);
            if (least > to) {
                all.add(new Finding(Kind.MISSING, new Range(partition, to, least), nowMillis));
            } else if (most < to) {
                all.add(new Finding(Kind.REPEATED, new Range(partition, most, to), nowMillis));
            }
        });
        return all;
    }
}
