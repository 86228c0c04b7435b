package io.spillway.kafka.periodic;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ClusterWatchTest {
    private final AtomicLong seconds = new AtomicLong(1_000);
    private final AtomicBoolean answers = new AtomicBoolean(true);
    private final ClusterWatch watch = new ClusterWatch(
            this::answer, () -> answers.set(false), () -> TimeUnit.SECONDS.toNanos(seconds.get()));

    @AfterEach
    void close() {
        watch.close();
        assertThat(answers).as("what it asks is closed with it").isFalse();
    }

    @Test
    void a_cluster_is_unreachable_after_ten_seconds_without_an_answer_and_reachable_with_the_next() {
        answers.set(false);
        at(1_010);
        assertThat(watch.isReachable()).isTrue();
        at(1_011);
        assertThat(watch.isReachable()).isFalse();
        at(1_500);
        assertThat(watch.isReachable()).isFalse();
        answers.set(true);
        at(1_502);
        assertThat(watch.isReachable()).isTrue();
    }

    @Test
    void a_question_that_does_not_end_is_no_answer() {
        seconds.set(1_011);
        assertThat(watch.isReachable()).isFalse();
    }

    @Test
    void a_process_that_was_not_ready_says_so_although_the_next_answer_only_came_late() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ClusterWatch.class);
        logger.addAppender(log);
        try {
            at(1_010);
            assertThat(log.list).isEmpty();
            at(1_021);
            assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).satisfiesExactly(
                    line -> assertThat(line).startsWith("Kafka has not answered for 10 s: it answers late"),
                    line -> assertThat(line).isEqualTo("Kafka answers again."));
            at(1_023);
            assertThat(log.list).hasSize(2);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void short_outages_in_a_row_are_not_added_up() {
        for (int second = 1_000; second < 1_100; second += 8) {
            answers.set(false);
            at(second + 7);
            assertThat(watch.isReachable()).isTrue();
            answers.set(true);
            at(second + 8);
        }
    }

    private void at(long second) {
        seconds.set(second);
        watch.ask();
    }

    private Void answer() throws TimeoutException {
        if (!answers.get()) {
            throw new TimeoutException("no answer");
        }
        return null;
    }
}
