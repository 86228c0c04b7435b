package io.spillway.deadletter;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueProgress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Run over one partition.
 *
 * <p>Skipped dead letters stay unfinished in the progress. When their list is full, and at the end, they are
 * re-appended to the same partition, byte for byte, in the transaction that finishes their old offsets. So their
 * number is unlimited, and after a run all records below its frontier are finished and can be purged. No committed
 * progress is needed after that, which matters because Kafka deletes the offsets of an empty group after 7 days. The
 * last offset of a partition is never purged, but it is a transaction marker: only transactions write dead letters.
 */
final class PartitionRun {
    private final QueueProgress part;
    private final long end;
    private final DeadLetters letters;
    private final PartitionReader reader;
    private final DisposalTransactions transactions;
    private final PartitionProgress progress;
    private boolean isDirty;
    /** Offset after the last record that was read. */
    private long position;

    PartitionRun(
            QueueProgress part, long end, DeadLetters letters, DisposalTransactions transactions, int maxSkipped) {
        this.part = part;
        this.end = end;
        this.letters = letters;
        this.reader = letters.reader();
        this.transactions = transactions;
        this.progress = new PartitionProgress(part.progress(), Long.MAX_VALUE, maxSkipped);
        this.position = part.from();
    }

    /** Processes the partition and returns the committed frontier. */
    long run(SelectedDeadLetters work) {
        boolean hasFinished = false;
        reader.seek(part.partition(), part.from(), end);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            boolean isFull = takeUntilFull(batch, work);
            hasFinished |= isDirty;
            commitIfDirty(work);
            if (isFull) {
                reappendSkipped(work);
                hasFinished = true;
                reader.seek(part.partition(), position, end);
            }
            if (work.isStopped() || isOver(work, position)) {
                break;
            }
        }
        // Otherwise nothing is finished above the skipped dead letters, and no progress needs to be kept.
        if (hasFinished || part.mixedEnd() > 0) {
            reappendSkipped(work);
        }
        return snapshot().frontier();
    }

    /** Processes a batch. Returns true if it stopped because the list of skipped dead letters is full. */
    private boolean takeUntilFull(List<ConsumerRecord<byte[], byte[]>> batch, SelectedDeadLetters work) {
        for (ConsumerRecord<byte[], byte[]> record : batch) {
            if (progress.isFull()) {
                return true;
            }
            if (isOver(work, record.offset())) {
                return false;
            }
            boolean wasFinished = progress.delivered(record.offset()) == ReadVerdict.FINISHED;
            position = record.offset() + 1;
            DeadLetter letter = letters.letter(record);
            if (!wasFinished && work.selects(letter)) {
                work.disposal().successors(letter, work.take())
                        .forEach(successor -> transactions.send(successor, work.done()));
                transactions.recordMove(letter, work.disposal().to());
                progress.finished(record.offset());
                isDirty = true;
            }
        }
        return false;
    }

    /** Returns whether the run is complete and a killed run has left nothing from this offset on. */
    private boolean isOver(SelectedDeadLetters work, long offset) {
        return work.isOver() && offset >= part.mixedEnd();
    }

    /** Re-appends the skipped dead letters to the partition. */
    private void reappendSkipped(SelectedDeadLetters work) {
        OffsetList skipped = OffsetList.of(Arrays.stream(snapshot().unfinished().toArray())
                .filter(offset -> offset < position)
                .toArray());
        if (skipped.isEmpty()) {
            return;
        }
        reader.seek(part.partition(), skipped.first(), skipped.last() + 1);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                if (skipped.contains(record.offset())) {
                    transactions.send(copy(record), work.done());
                    progress.finished(record.offset());
                    isDirty = true;
                }
            }
            commitIfDirty(work);
        }
    }

    private void commitIfDirty(SelectedDeadLetters work) {
        if (isDirty) {
            transactions.commit(part.partition(), snapshot(), work.done());
            isDirty = false;
            work.committed();
        }
    }

    private ProgressState snapshot() {
        return progress.snapshot(0, true, Optional.empty(), 0);
    }

    private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(record.topic(), record.partition(), Math.max(0, record.timestamp()),
                record.key(), record.value(), record.headers());
    }
}
