package io.spillway.deadletter;

import io.spillway.kafka.codec.LedgerOwner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dead letters counted by tenant and reason. Bound: {@link #MAX_ROWS} rows; what comes after counts for one row of
 * others. Owned by the thread of its command.
 */
public final class DeadLetterCounts {
    /** Most rows with names of their own. */
    public static final int MAX_ROWS = 1_000;
    /** Stands for every tenant and reason beyond that. */
    public static final String OTHERS = "*other*";
    /** Stands for the tenant of what cannot be read as an item; no tenant's name has such a character. */
    public static final String NO_TENANT = LedgerOwner.NOBODY;

    /**
     * What is counted apart.
     *
     * @param tenant or {@link #NO_TENANT}, or {@link #OTHERS}
     * @param reason words from outside
     */
    public record Group(String tenant, String reason) {}

    /**
     * A count.
     *
     * @param count   dead letters in all
     * @param swept   of them those that a sweep would drop when they are due
     * @param expired of them those past their time to live when they are due
     */
    public record Row(Group group, long count, long swept, long expired) {
        private Row plus(Row more) {
            return new Row(group, count + more.count, swept + more.swept, expired + more.expired);
        }
    }

    private static final Group OTHER_GROUP = new Group(OTHERS, OTHERS);

    private final Map<Group, Row> rows = new LinkedHashMap<>();
    private long count;

    /** Counts one. */
    public void add(DeadLetter letter) {
        add(letter, false, false);
    }

    void add(DeadLetter letter, boolean isSwept, boolean isExpired) {
        Group own = new Group(letter.tenant().orElse(NO_TENANT), letter.reason());
        Group group = rows.containsKey(own) || rows.size() < MAX_ROWS ? own : OTHER_GROUP;
        rows.merge(group, new Row(group, 1, isSwept ? 1 : 0, isExpired ? 1 : 0), Row::plus);
        count++;
    }

    /** All that were counted. */
    public long count() {
        return count;
    }

    /** The rows, largest first. */
    public List<Row> rows() {
        List<Row> sorted = new ArrayList<>(rows.values());
        sorted.sort(Comparator.comparingLong(Row::count).reversed()
                .thenComparing(row -> row.group().tenant())
                .thenComparing(row -> row.group().reason()));
        return sorted;
    }
}
