package io.spillway.deadletter;

import io.spillway.kafka.topics.QueueProgress;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reader of one page. It reads ranges of all partitions from their ends downwards, in rounds that grow, and merges each
 * round by time. A round that exceeds the limits of a page is discarded, except the first, which is small. So a page
 * always advances, and its memory is bounded by a batch of records and the rows of a round.
 */
final class PageReader {
    static final int MAX_RECORDS = 20_000;
    static final long MAX_BYTES = 64L * 1024 * 1024;
    static final long MAX_MILLIS = 3_000;
    /** Offsets of the first round, over all partitions. */
    private static final long FIRST_ROUND = 128;
    private static final long GROWTH = 4;

    /** Reads the unfinished dead letters of a range until the visitor returns false, which it then returns. */
    interface Ranges {
        boolean read(QueueProgress part, long from, long end, Predicate<DeadLetter> visitor);
    }

    private final DeadLetterFilter filter;
    private final int limit;
    private final Ranges ranges;
    private final InstantSource clock;
    private final List<DeadLetterPage.Row> page = new ArrayList<>();
    private final DeadLetterCounts counts = new DeadLetterCounts();
    /** Offset below which nothing has been read, by partition. */
    private final Map<Integer, Long> unread = new HashMap<>();
    /** Offset below which nothing is on the page, by partition. */
    private final Map<Integer, Long> below = new HashMap<>();
    private int records;
    private long bytes;

    PageReader(DeadLetterFilter filter, int limit, Ranges ranges, InstantSource clock) {
        this.filter = filter;
        this.limit = limit;
        this.ranges = ranges;
        this.clock = clock;
    }

    /** Reads the page; a first page also counts, as far as its limits allow. */
    DeadLetterPage read(List<QueueProgress> parts, Optional<DeadLetterCursor> cursor) {
        long endMillis = clock.millis() + MAX_MILLIS;
        for (QueueProgress part : parts) {
            int partition = part.partition().partition();
            long end = cursor.map(pageCursor -> pageCursor.below().getOrDefault(partition, 0L)).orElse(part.end());
            unread.put(partition, Math.min(end, part.end()));
        }
        below.putAll(unread);
        long round = Math.max(1, FIRST_ROUND / Math.max(1, parts.size()));
        boolean isFirst = true;
        while (isUnread(parts) && (page.size() < limit || cursor.isEmpty())) {
            boolean isLimited = !isFirst;
            Map<Integer, Deque<DeadLetterPage.Row>> found = new HashMap<>();
            Map<Integer, Long> from = new HashMap<>();
            long offsets = round;
            boolean isWhole = parts.stream().allMatch(part -> readRange(
                    part, offsets, found, from, () -> isLimited && isOver(endMillis)));
            if (!isWhole) {
                break;
            }
            accept(found, from);
            round *= GROWTH;
            isFirst = false;
        }
        TreeMap<Integer, Long> next = new TreeMap<>();
        parts.forEach(part -> {
            int partition = part.partition().partition();
            if (below.get(partition) > part.from()) {
                next.put(partition, below.get(partition));
            }
        });
        return new DeadLetterPage(page, next.isEmpty() ? Optional.empty() : Optional.of(new DeadLetterCursor(next)),
                counts, !isUnread(parts));
    }

    private boolean isUnread(List<QueueProgress> parts) {
        return parts.stream().anyMatch(part -> unread.get(part.partition().partition()) > part.from());
    }

    private boolean isOver(long endMillis) {
        return records > MAX_RECORDS || bytes > MAX_BYTES || clock.millis() > endMillis;
    }

    private interface Limit {
        boolean isOver();
    }

    private boolean readRange(QueueProgress part, long offsets, Map<Integer, Deque<DeadLetterPage.Row>> found,
            Map<Integer, Long> from, Limit limits) {
        int partition = part.partition().partition();
        long end = unread.get(partition);
        if (end <= part.from()) {
            return true;
        }
        from.put(partition, Math.max(part.from(), end - offsets));
        Deque<DeadLetterPage.Row> rows = found.computeIfAbsent(partition, none -> new ArrayDeque<>());
        return !limits.isOver() && ranges.read(part, from.get(partition), end, letter -> {
            records++;
            bytes += Math.max(0, letter.record().serializedValueSize());
            if (filter.matches(letter)) {
                rows.push(DeadLetterPage.Row.of(letter));
            }
            return !limits.isOver();
        });
    }

    /** Takes a whole round: counts its rows, and puts the newest on the page. */
    private void accept(Map<Integer, Deque<DeadLetterPage.Row>> found, Map<Integer, Long> from) {
        unread.putAll(from);
        found.values().forEach(rows -> rows.forEach(row -> counts.add(
                new DeadLetterCounts.Group(row.tenant(), row.reason()), ReplayForecast.Result.WORK)));
        if (page.size() >= limit) {
            return;
        }
        while (page.size() < limit) {
            Optional<Deque<DeadLetterPage.Row>> newest = found.values().stream().filter(rows -> !rows.isEmpty())
                    .max((a, b) -> Long.compare(a.getFirst().time(), b.getFirst().time()));
            if (newest.isEmpty()) {
                break;
            }
            page.add(newest.get().pop());
        }
        from.forEach((partition, offset) -> {
            Deque<DeadLetterPage.Row> rest = found.get(partition);
            below.put(partition, rest.isEmpty() ? offset : rest.getFirst().offset() + 1);
        });
    }
}
