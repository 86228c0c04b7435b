package io.spillway.deadletter;

import static io.spillway.deadletter.DeadLetterFixture.ALL;
import static io.spillway.deadletter.DeadLetterFixture.UNWATCHED;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerOwner;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

@Timeout(900) // Against a hang; nothing is measured.
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

    @Test
    void the_ledger_records_a_replay_for_the_tenant_and_for_the_reason() throws Exception {
        DeadLetterFixture fixture = new DeadLetterFixture(kafka);
        fixture.bury(4, i -> "acme");
        Replay replay = new Replay(fixture.topics(), 0, 10);
        try (DeadLetterRun run = new DeadLetterRun(fixture.configuration(), InstantSource.system())) {
            Survey survey = run.survey(ALL, replay, Long.MAX_VALUE, UNWATCHED).orElseThrow();
            run.run(survey, ALL, replay, UNWATCHED);
        }
        Map<String, Long> toDelay = new HashMap<>();
        kafka.readAll(fixture.topics().ledger()).forEach(entry -> LedgerCodec.read(
                entry.value(), (name, from, counts) -> toDelay.merge(
                        name + " from " + from.label(), counts[ItemState.DELAY.ordinal()], Long::sum)));
        assertThat(toDelay).isEqualTo(Map.of(
                "acme from dead-letter", 4L, LedgerOwner.of(DeadReason.ATTEMPTS_USED_UP) + " from dead-letter", 4L));
    }
}
