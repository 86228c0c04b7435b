package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.FirstStarts;
import io.spillway.core.retry.FirstStarts.Start;
import io.spillway.core.retry.RetryKey;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.view.StatusPublisher;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class AttemptReporterTest {
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final List<AttemptCounts> ended = new ArrayList<>();
    private final FirstStarts starts = new FirstStarts();
    private final AttemptReporter reporter = reporter(this::take);

    @Test
    void nothing_is_published_when_no_attempt_has_ended() {
        reporter.report();
        assertThat(producer.history()).isEmpty();
    }

    @Test
    void a_router_reads_what_has_ended_once() {
        ended.add(new AttemptCounts(new RetryKey("api.example.org", "acme"), AttemptCounts.UNKNOWN, 5, 2, 3, 1));
        ended.add(new AttemptCounts(RetryKey.OTHERS, AttemptCounts.UNKNOWN, 9, 9, 0, 0));
        List<AttemptCounts> all = List.copyOf(ended);
        reporter.report();
        reporter.report();

        assertThat(producer.history()).hasSize(1);
        assertThat(producer.history().getFirst().topic()).isEqualTo("spillway.attempts");
        assertThat(new AttemptReports().decode(producer.history().getFirst().value()).counts()).isEqualTo(all);
    }

    @Test
    void an_item_is_told_when_its_first_delivery_here_has_started() {
        starts.started(new Start(7, 30));
        starts.started(new Start(8, 10));
        starts.started(new Start(7, 40));
        reporter.report();
        starts.started(new Start(8, 50));
        reporter.report();
        assertThat(producer.history()).extracting(each -> new AttemptReports().decode(each.value()).starts())
                .containsExactly(List.of(new Start(7, 30), new Start(8, 10)));
    }

    @Test
    void more_counts_than_fit_go_into_the_next_reports_and_then_wait() {
        for (int i = 0; i < AttemptReporter.MOST_REPORTS * AttemptReports.MOST_COUNTS + 1_500; i++) {
            ended.add(new AttemptCounts(new RetryKey("", "t" + i), AttemptCounts.UNKNOWN, 1, 0, 0, 0));
        }
        reporter.report();
        assertThat(producer.history()).hasSize(AttemptReporter.MOST_REPORTS);
        producer.clear();
        reporter.report();
        assertThat(producer.history()).extracting(each -> new AttemptReports().decode(each.value()).counts().size())
                .containsExactly(1_000, 500);
        reporter.close();
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void counts_above_what_was_asked_for_are_published_too() {
        List<AttemptCounts> more = new ArrayList<>();
        for (int i = 0; i < AttemptReports.MOST_COUNTS + 3; i++) {
            more.add(new AttemptCounts(new RetryKey("", "t" + i), 7, 0, 0, 1, 1));
        }
        List<List<AttemptCounts>> answers = new ArrayList<>(List.of(more, List.of()));
        AttemptReporter other = reporter(most -> answers.removeFirst());
        other.report();
        assertThat(producer.history()).flatExtracting(each -> new AttemptReports().decode(each.value()).counts())
                .containsExactlyElementsOf(more);
        other.close();
    }

    private AttemptReporter reporter(IntFunction<List<AttemptCounts>> counts) {
        return new AttemptReporter(new StatusPublisher("spillway.attempts", "worker-1", producer), "worker-1", counts,
                starts, () -> Instant.ofEpochMilli(1_800_000_000_000L));
    }

    private List<AttemptCounts> take(int most) {
        List<AttemptCounts> taken = List.copyOf(ended.subList(0, Math.min(most, ended.size())));
        ended.subList(0, taken.size()).clear();
        return taken;
    }
}
