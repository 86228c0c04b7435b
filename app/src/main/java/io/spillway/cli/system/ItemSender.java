package io.spillway.cli.system;

import io.spillway.cli.terminal.PeriodicNote;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.text.Printable;
import io.spillway.gateway.WrittenItem;
import io.spillway.kafka.advice.ConnectionFault;
import io.spillway.producer.ItemBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Sender of items at a rate, with progress every second. Owned by the command's thread; the producer's thread updates
 * only the counts of results, and the thread of a stop calls {@link #stop}.
 */
final class ItemSender {
    static final long UNKNOWN_TOTAL = -1;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Limits how late a stop is noticed. */
    private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** @param sent items that Kafka has stored; {@code firstFailure} is the error of the first of the others */
    record Result(long sent, long failed, double seconds, Optional<String> firstFailure) {}

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final double nanosBetween;
    private final PeriodicNote note;
    private final long startNanos = System.nanoTime();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<String> firstFailure = new AtomicReference<>();
    private volatile boolean lost;
    private volatile boolean stopped;
    private long handedOver;

    ItemSender(Producer<byte[], byte[]> producer, String topic, Double itemsPerSecond, Printer printer) {
        this.producer = producer;
        this.topic = topic;
        this.nanosBetween = itemsPerSecond == null ? 0 : SECOND_NANOS / itemsPerSecond;
        this.note = new PeriodicNote(InstantSource.system(), 1_000, printer::note);
    }

    /** Sends an item when it is due by the rate; does nothing after {@link #stop}. */
    void send(WrittenItem parsed, long total) {
        long dueNanos = startNanos + (long) (handedOver * nanosBetween);
        for (long wait = dueNanos - System.nanoTime(); wait > 0 && !stopped; wait = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(wait, MAX_PARK_NANOS));
        }
        if (stopped) {
            return;
        }
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic, parsed.key(), ItemBuilder.recordOf(topic, parsed.item()).value());
        parsed.addHeaders(record.headers());
        try {
            producer.send(record, (stored_, failure) -> ended(failure));
        } catch (KafkaException e) {
            // Thrown by send itself once the producer knows that it will not be permitted.
            ended(e);
        }
        handedOver++;
        note.offer(() -> String.format(Locale.ROOT, "%d%s sent (%.0f/s)",
                stored.get(), total == UNKNOWN_TOTAL ? "" : " of " + total, stored.get() / seconds()));
    }

    /** Counts an answer; the failure is null for a stored item. */
    private void ended(Exception failure) {
        if (failure == null) {
            stored.incrementAndGet();
        } else {
            failed.incrementAndGet();
            lost = lost || failure instanceof TimeoutException;
            firstFailure.compareAndSet(null, ConnectionFault.describe(failure)
                    .orElseGet(() -> Printable.of(failure.toString())));
        }
    }

    /** Returns whether an item has timed out; every further item would wait as long. */
    boolean isLost() {
        return lost;
    }

    /** Returns whether further items are pointless: Kafka does not answer, or sending has been stopped. */
    boolean isOver() {
        return lost || stopped;
    }

    /** Waits for the results of all items. */
    Result finish() {
        producer.flush();
        return result();
    }

    /**
     * Ends sending from another thread, and returns the results of the items that were handed over. Those that Kafka
     * does not confirm within the limit have failed.
     */
    Result stop(Duration limit) {
        stopped = true;
        producer.close(limit);
        return result();
    }

    private Result result() {
        return new Result(stored.get(), failed.get(), seconds(), Optional.ofNullable(firstFailure.get()));
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / (double) SECOND_NANOS;
    }
}
