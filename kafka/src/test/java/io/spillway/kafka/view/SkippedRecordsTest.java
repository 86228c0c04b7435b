package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SkippedRecordsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(SkippedRecords.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private long nowMillis = 1_000;
    private final SkippedRecords skipped = new SkippedRecords("depths", () -> Instant.ofEpochMilli(nowMillis));

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void restore() {
        logger.detachAppender(log);
    }

    @Test
    void any_number_of_skipped_records_gives_one_line_a_minute_with_their_number() {
        for (int offset = 0; offset < 600; offset++) {
            skipped.add(new ConsumerRecord<>("depths", 0, offset, new byte[1], new byte[1]), "full\nforged");
            nowMillis += 200;
        }
        assertThat(skipped.count()).isEqualTo(600);
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(
                "Skipped record depths-0@0: full\\u000aforged (1 skipped since the last such line)",
                "Skipped record depths-0@300: full\\u000aforged (300 skipped since the last such line)");
    }

    @Test
    void a_clock_that_is_set_back_silences_nothing() {
        skipped.add(new ConsumerRecord<>("depths", 0, 1, null, new byte[1]), null);
        nowMillis -= 3_600_000;
        skipped.add(new ConsumerRecord<>("depths", 0, 2, null, new byte[1]), null);
        assertThat(log.list).hasSize(2);
    }
}
