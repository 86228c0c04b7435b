package io.spillway.deadletter;

import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueProgress;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Scan of the unfinished dead letters, partition by partition, always in the same order. */
final class Scan {
    private final PartitionReader reader;
    private final ItemReader items = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);
    private final ItemDecoder decoder = new ItemDecoder();

    Scan(PartitionReader reader) {
        this.reader = reader;
    }

    /** Visits every unfinished dead letter without keeping it in memory. Returns false if it was stopped. */
    boolean over(List<QueueProgress> partitions, ScanListener watch, Consumer<DeadLetter> visitor) {
        long total = partitions.stream().mapToLong(part -> part.end() - part.from()).sum();
        long before = 0;
        for (QueueProgress part : partitions) {
            if (part.from() < part.end()) {
                reader.seek(part.partition(), part.from(), part.end());
                for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
                    for (ConsumerRecord<byte[], byte[]> record : batch) {
                        if (part.isUnfinished(record.offset())) {
                            visitor.accept(letter(record));
                        }
                    }
                    if (watch.isStopped()) {
                        return false;
                    }
                    long done = before + Math.min(reader.position(), part.end()) - part.from();
                    watch.progressed("examined", done, total);
                }
            }
            before += part.end() - part.from();
        }
        return true;
    }

    DeadLetter letter(ConsumerRecord<byte[], byte[]> record) {
        return new DeadLetter(record, items, decoder);
    }
}
