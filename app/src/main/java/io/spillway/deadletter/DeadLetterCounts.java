package io.spillway.deadletter;

import io.spillway.kafka.codec.LedgerOwner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts of dead letters by tenant and reason. Bound: {@value #MAX_ROWS} rows; all further groups share one row. Owned
 * by the thread of its command.
 */
public final class DeadLetterCounts {
    /** Maximum number of rows with their own names. */
    private static final int MAX_ROWS = 1_000;
    /** Group of the row for all further groups. */
    private static final Group OTHERS = new Group("*other*", "*other*");

    /**
     * Key of a count.
     *
     * @param tenant tenant, {@code *other*} for all further groups, or {@link LedgerOwner#NONE} for unreadable items
     * @param reason untrusted text
     */
    public record Group(String tenant, String reason) {}

    /**
     * Counts of one group.
     *
     * @param count all dead letters
     * @param swept those that a sweep would drop when they are due
     */
    public record Row(Group group, long count, long swept) {
        private Row plus(Row more) {
            return new Row(group, count + more.count, swept + more.swept);
        }
    }

    private final Map<Group, Row> rows = new LinkedHashMap<>();
    private long count;

    /** Adds a dead letter without a forecast. */
    public void add(DeadLetter letter) {
        add(letter, ReplayForecast.Result.WORK);
    }

    void add(DeadLetter letter, ReplayForecast.Result forecast) {
        add(new Group(letter.owner(), letter.reason()), forecast);
    }

    void add(Group own, ReplayForecast.Result forecast) {
        Group group = rows.containsKey(own) || rows.size() < MAX_ROWS ? own : OTHERS;
        int swept = forecast == ReplayForecast.Result.SWEPT ? 1 : 0;
        rows.merge(group, new Row(group, 1, swept), Row::plus);
        count++;
    }

    /** Returns the total count. */
    public long count() {
        return count;
    }

    /** Returns the rows, largest count first. */
    public List<Row> rows() {
        List<Row> sorted = new ArrayList<>(rows.values());
        sorted.sort(Comparator.comparingLong(Row::count).reversed()
                .thenComparing(row -> row.group().tenant())
                .thenComparing(row -> row.group().reason()));
        return sorted;
    }
}
