package io.spillway.cli.diagnosis;

import io.spillway.cli.terminal.DurationText;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Comparison of this machine's clock with a broker's, without a write: running instances publish statuses every few
 * seconds, and the broker stamps each with its own clock when it stores it.
 */
final class ClockCheck {
    /** Longer than the longest interval between statuses of an idle instance. */
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Duration POLL = Duration.ofMillis(100);
    /** A record arrives within a poll; a machine that is busy takes longer. */
    private static final long MAX_DIFFERENCE_MILLIS = 2_000;

    private ClockCheck() {}

    /**
     * Waits for a new status, and compares.
     *
     * @param marginMillis difference that sweeps tolerate: the {@code sweepMargin} of all tenants
     */
    static Finding run(KafkaClients clients, Topics topics, InstantSource clock, long marginMillis) {
        TopicPartition statuses = new TopicPartition(topics.demand(), 0);
        try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer(Map.of())) {
            consumer.assign(List.of(statuses));
            consumer.seek(statuses, consumer.endOffsets(List.of(statuses)).get(statuses));
            long untilMillis = clock.millis() + PATIENCE.toMillis();
            while (clock.millis() < untilMillis) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    return judge(OptionalLong.of(clock.millis() - record.timestamp()), marginMillis);
                }
            }
        }
        return judge(OptionalLong.empty(), marginMillis);
    }

    /**
     * Judges the time from the broker's stamp to the receipt of the record here; empty if no record came.
     *
     * @param differenceMillis negative if this machine's clock is behind
     */
    static Finding judge(OptionalLong differenceMillis, long marginMillis) {
        if (differenceMillis.isEmpty()) {
            return Finding.skipped("clock", "No running instance published a status within "
                    + PATIENCE.toSeconds() + " s, so there is no fresh time of a broker.");
        }
        long millis = Math.abs(differenceMillis.getAsLong());
        String text = "The clock of this machine is " + DurationText.of(millis)
                + (differenceMillis.getAsLong() < 0 ? " behind" : " ahead of") + " a broker's.";
        if (millis <= MAX_DIFFERENCE_MILLIS) {
            return Finding.ok("clock", "The clocks of this machine and a broker differ by at most "
                    + DurationText.of(Math.max(millis, POLL.toMillis())) + ".");
        }
        String remedy = "Synchronize the clocks (NTP): ages, times to live and sweeps compare times of several "
                + "machines.";
        return millis > marginMillis ? Finding.fail("clock", text, remedy) : Finding.warn("clock", text, remedy);
    }
}
