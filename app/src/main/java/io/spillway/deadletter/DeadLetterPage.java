package io.spillway.deadletter;

import io.spillway.kafka.codec.ItemDetails;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Some of the dead letters, the newest first: as many as were asked for, or as many as were found within the limits of
 * one page, {@value PageReader#MAX_RECORDS} records, {@value PageReader#MAX_BYTES} bytes and
 * {@value PageReader#MAX_MILLIS} ms. Within a partition the newest have the highest offsets.
 *
 * @param next       where the next page begins; empty at the end
 * @param counts     counts of all dead letters that were read for the page
 * @param isCountAll whether these are all that match
 */
public record DeadLetterPage(
        List<Row> rows, Optional<DeadLetterCursor> next, DeadLetterCounts counts, boolean isCountAll) {
    public DeadLetterPage {
        rows = List.copyOf(rows);
    }

    /**
     * Dead letter without its payload. The texts are untrusted.
     *
     * @param tenant       tenant, or the name for records without one
     * @param reason       empty if absent
     * @param deadAtMillis time at which it was dead-lettered, epoch milliseconds
     * @param bytes        size of the record's value
     * @param contentType  empty if the record is not a readable item
     */
    public record Row(
            int partition, long offset, String tenant, String workload, String id, String reason, long attempts,
            OptionalLong deadAtMillis, long bytes, String contentType) {
        static Row of(DeadLetter letter) {
            ConsumerRecord<byte[], byte[]> record = letter.record();
            Optional<ItemDetails> item = letter.item();
            return new Row(record.partition(), record.offset(), letter.owner(),
                    item.map(ItemDetails::workload).orElse(""), letter.id(), letter.reason(), letter.attempts(),
                    letter.deadAtMillis(), record.value() == null ? 0 : record.value().length,
                    item.map(ItemDetails::contentType).orElse(""));
        }

        long time() {
            return deadAtMillis.orElse(Long.MIN_VALUE);
        }
    }
}
