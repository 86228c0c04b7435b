package io.spillway.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import java.time.InstantSource;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

@Timeout(300) // Against a hang; nothing is measured.
class DeadLettersIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @Test
    void a_progress_that_cannot_be_read_is_told_once_for_each_partition() throws Exception {
        DeadLetterFixture fixture = new DeadLetterFixture(kafka);
        fixture.bury(4, i -> "acme");
        kafka.admin().alterConsumerGroupOffsets(fixture.topics().replayGroup(), Map.of(
                new TopicPartition(fixture.topics().lane(Lane.DEAD_LETTER), 0), new OffsetAndMetadata(0, "unknown"),
                new TopicPartition(fixture.topics().lane(Lane.DEAD_LETTER), 1), new OffsetAndMetadata(1))).all().get();
        Logger logger = (Logger) LoggerFactory.getLogger(DeadLetters.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (DeadLetters letters = new DeadLetters(fixture.configuration(), InstantSource.system())) {
            letters.partitions(false);
            letters.partitions(true);
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).singleElement().extracting(ILoggingEvent::getFormattedMessage).asString().contains(
                fixture.topics().lane(Lane.DEAD_LETTER) + "-0", "cannot be read", "can be replayed again");
    }
}
