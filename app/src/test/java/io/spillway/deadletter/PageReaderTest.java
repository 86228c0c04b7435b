package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.progress.ProgressState;
import io.spillway.kafka.topics.QueueProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageReaderTest {
    private static final DeadLetterFilter ALL = DeadLetterFixture.ALL;

    private final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);
    private final List<DeadLetter> letters = new ArrayList<>();
    private long readMillis;
    private long read;

    private void bury(int partition, long offset, String tenant, long deadAt) {
        letters.add(DeadLetterSamples.letter(
                partition, offset, tenant, partition + "/" + offset, deadAt, new byte[10]));
    }

    private boolean range(QueueProgress part, long from, long end, Predicate<DeadLetter> visitor) {
        return letters.stream().filter(each -> each.record().partition() == part.partition().partition()
                        && each.record().offset() >= from && each.record().offset() < end)
                .sorted(Comparator.comparingLong(each -> each.record().offset()))
                .peek(each -> {
                    read++;
                    nowMillis.addAndGet(readMillis);
                })
                .allMatch(visitor);
    }

    private DeadLetterPage page(int limit, DeadLetterFilter filter, Optional<DeadLetterCursor> cursor, long... ends) {
        List<QueueProgress> parts = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            parts.add(new QueueProgress(
                    new TopicPartition("spillway.dead-letter", i), 0, ends[i], false, ProgressState.fresh(0)));
        }
        return new PageReader(filter, limit, this::range, () -> Instant.ofEpochMilli(nowMillis.get()))
                .read(parts, cursor);
    }

    private static List<String> ids(DeadLetterPage page) {
        return page.rows().stream().map(DeadLetterPage.Row::id).toList();
    }

    private static DeadLetterFilter tenant(String tenant) {
        return new DeadLetterFilter(
                Optional.of(tenant), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Set.of(), Set.of());
    }

    @Test
    void the_newest_of_all_partitions_come_first() {
        bury(0, 0, "acme", 10);
        bury(1, 0, "acme", 20);
        bury(0, 1, "acme", 30);
        bury(1, 1, "acme", 25);

        DeadLetterPage page = page(10, ALL, Optional.empty(), 2, 2);

        assertThat(ids(page)).containsExactly("0/1", "1/1", "1/0", "0/0");
        assertThat(page.next()).isEmpty();
        assertThat(page.isCountAll()).isTrue();
        assertThat(page.counts().count()).isEqualTo(4);
    }

    @ParameterizedTest(name = "pages of {0} of {1} in 3 partitions")
    @CsvSource({"1, 20", "7, 500", "50, 2000", "3, 3", "100, 100", "200, 1"})
    void pages_together_have_each_dead_letter_once(int limit, int count) {
        long[] ends = new long[3];
        for (int i = 0; i < count; i++) {
            int partition = i * 7 % 3;
            // Re-appended ones have earlier times than those before them.
            bury(partition, ends[partition]++, i % 5 == 0 ? "bolt" : "acme", i % 10 == 9 ? i - 50 : i);
        }
        for (DeadLetterFilter filter : List.of(ALL, tenant("bolt"))) {
            List<String> found = new ArrayList<>();
            Optional<DeadLetterCursor> cursor = Optional.empty();
            boolean isFirst = true;
            while (isFirst || cursor.isPresent()) {
                DeadLetterPage page = page(limit, filter, cursor, ends);
                assertThat(page.rows()).hasSizeLessThanOrEqualTo(limit);
                found.addAll(ids(page));
                cursor = page.next().map(each -> DeadLetterCursor.parse(each.text()));
                isFirst = false;
            }
            assertThat(found).containsExactlyInAnyOrderElementsOf(
                    letters.stream().filter(filter::matches).map(DeadLetter::id).toList());
        }
    }

    @Test
    void a_page_after_the_first_reads_little_more_than_it_shows() {
        for (int i = 0; i < 10_000; i++) {
            bury(0, i, "acme", i);
        }
        Optional<DeadLetterCursor> cursor = page(50, ALL, Optional.empty(), 10_000).next();
        read = 0;
        assertThat(ids(page(50, ALL, cursor, 10_000))).startsWith("0/9949").endsWith("0/9900");
        assertThat(read).isLessThanOrEqualTo(128);
    }

    @Test
    void new_dead_letters_do_not_change_the_pages_that_follow() {
        for (int i = 0; i < 100; i++) {
            bury(0, i, "acme", i);
        }
        Optional<DeadLetterCursor> cursor = page(10, ALL, Optional.empty(), 100).next();
        bury(0, 100, "acme", 1_000);
        assertThat(ids(page(1, ALL, cursor, 101))).containsExactly("0/89");
    }

    @Test
    void a_page_ends_where_its_limits_do_and_the_next_one_goes_on() {
        for (int i = 0; i < 100_000; i++) {
            bury(0, i, i == 5 ? "rare" : "acme", i);
        }
        DeadLetterPage page = page(10, tenant("rare"), Optional.empty(), 100_000);
        assertThat(page.rows()).isEmpty();
        assertThat(page.isCountAll()).isFalse();
        assertThat(read).isLessThan(2L * PageReader.MAX_RECORDS);
        int pages = 1;
        while (page.rows().isEmpty()) {
            page = page(10, tenant("rare"), page.next(), 100_000);
            pages++;
        }
        assertThat(ids(page)).containsExactly("0/5");
        assertThat(pages).isBetween(5, 40);
    }

    @Test
    void a_slow_read_still_gives_a_page() {
        for (int i = 0; i < 1_000; i++) {
            bury(i % 2, i / 2, "acme", i);
        }
        readMillis = 1_000;
        DeadLetterPage page = page(100, ALL, Optional.empty(), 500, 500);
        assertThat(page.rows()).hasSize(100);
        assertThat(page.isCountAll()).isFalse();
        assertThat(read).as("the first round, and one record more").isLessThanOrEqualTo(129);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "1", "1-", "-1", "1-2.", "1-2-3", "1-9999999999999999999", "a-b", "1-2,3-4"})
    void only_a_cursor_is_a_cursor(String text) {
        assertThatThrownBy(() -> DeadLetterCursor.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_cursor_is_the_same_as_text() {
        DeadLetterCursor cursor = new DeadLetterCursor(new TreeMap<>(java.util.Map.of(0, 7L, 11, 120L)));
        assertThat(cursor.text()).isEqualTo("0-7.11-120");
        assertThat(DeadLetterCursor.parse(cursor.text())).isEqualTo(cursor);
        assertThatThrownBy(() -> DeadLetterCursor.parse("1-2." + "3-4.".repeat(5_000) + "5-6"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
