package io.spillway.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.Set;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

/** Faults in the log: a trace for a defect, and one line for what Kafka Streams repairs itself. */
class SafeStackTraceTest {
    private static final String STREAMS = "org.apache.kafka.streams.processor.internals.StreamThread";

    private final LoggerContext context = new LoggerContext();

    @Test
    void tasks_that_are_rebuilt_after_the_death_of_a_broker_take_one_line() {
        TaskCorruptedException corrupted = new TaskCorruptedException(
                Set.of(new TaskId(2, 0)), new InvalidOffsetException("gone") {
                    @Override
                    public Set<TopicPartition> partitions() {
                        return Set.of();
                    }
                });
        assertThat(rendered(STREAMS, corrupted).lines()).hasSize(1)
                .first().asString().contains("TaskCorruptedException").contains("2_0");
    }

    @Test
    void a_passing_fault_within_another_is_named_without_its_trace() {
        assertThat(rendered(STREAMS, new StreamsException("cannot commit", new TimeoutException("no answer\u001b[2J"))))
                .isEqualTo("    org.apache.kafka.common.errors.TimeoutException: no answer\\u001b[2J"
                        + System.lineSeparator());
    }

    @Test
    void any_other_fault_has_its_trace() {
        assertThat(rendered(STREAMS, new StreamsException("a defect")).lines()).hasSizeGreaterThan(5);
        assertThat(rendered("io.spillway.router.Router", new TaskMigratedException("moved")).lines())
                .hasSizeGreaterThan(5);
    }

    private String rendered(String logger, Throwable fault) {
        SafeStackTrace converter = new SafeStackTrace();
        converter.setContext(context);
        converter.start();
        return converter.convert(new LoggingEvent("", context.getLogger(logger), Level.WARN, "message", fault, null));
    }
}
