package io.spillway.deadletter;

import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.ReadVerdict;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueProgress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * A run in one partition, from its progress to where the run ends in it.
 *
 * <p>What the run passes over stays unfinished in the progress. When that list is full, and at the end, it is put to
 * the end of the same partition, byte for byte, in the transaction that finishes it where it was. So any number can be
 * passed over; and after a run all below its frontier is finished and can be purged, which nothing has to be remembered
 * for. (Kafka forgets the offsets of a group that nobody is in after 7 days.)
 */
final class PartitionRun {
    private final TopicPartition partition;
    private final long from;
    private final long end;
    private final long leftBehindTo;
    private final PartitionReader reader;
    private final Scan scan;
    private final DisposalTransactions transactions;
    private final PartitionProgress progress;
    private boolean isDirty;
    /** Offset behind the last record that was delivered. */
    private long position;

    PartitionRun(
            QueueProgress part, long end, PartitionReader reader, Scan scan, DisposalTransactions transactions, int maxPassedOver) {
        this.partition = part.partition();
        this.from = part.from();
        this.end = end;
        this.reader = reader;
        this.scan = scan;
        this.transactions = transactions;
        this.progress = new PartitionProgress(part.progress(), Long.MAX_VALUE, maxPassedOver);
        this.leftBehindTo = part.leftBehindTo();
        this.position = from;
    }

    /** Does the work and returns the frontier that is committed. */
    long run(SelectedDeadLetters work) {
        boolean any = false;
        reader.seek(partition, from, end);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            boolean isFull = takeUntilFull(batch, work);
            any |= isDirty;
            commitIfDirty(work);
            if (isFull) {
                putToEnd(work);
                any = true;
                reader.seek(partition, position, end);
            }
            if (work.isStopped() || isOver(work, position)) {
                break;
            }
        }
        // Without either there is nothing finished above what was passed over, and nothing to remember.
        if (any || leftBehindTo > 0) {
            putToEnd(work);
        }
        return snapshot().frontier();
    }

    /** Whether it stopped because the list of what is passed over is full. */
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
            DeadLetter letter = scan.letter(record);
            if (!wasFinished && work.means(letter)) {
                work.disposal().successor(letter, work.take()).ifPresent(successor -> transactions.send(successor, work.done()));
                transactions.book(letter.tenant().orElse(LedgerOwner.NOBODY), work.disposal().to());
                progress.finished(record.offset());
                isDirty = true;
            }
        }
        return false;
    }

    /** Whether all is taken, and from this offset on nothing is left over from a run that was killed. */
    private boolean isOver(SelectedDeadLetters work, long offset) {
        return work.isOver() && offset >= leftBehindTo;
    }

    /** Moves what is unfinished and was read to the end of the partition. */
    private void putToEnd(SelectedDeadLetters work) {
        OffsetList passedOver = OffsetList.of(Arrays.stream(snapshot().unfinished().toArray())
                .filter(offset -> offset < position)
                .toArray());
        if (passedOver.isEmpty()) {
            return;
        }
        reader.seek(partition, passedOver.first(), passedOver.last() + 1);
        for (var batch = reader.next(); !batch.isEmpty(); batch = reader.next()) {
            for (ConsumerRecord<byte[], byte[]> record : batch) {
                if (passedOver.contains(record.offset())) {
                    transactions.send(copy(record), work.done());
                    progress.finished(record.offset());
                    work.putToEnd();
                    isDirty = true;
                }
            }
            commitIfDirty(work);
        }
    }

    private void commitIfDirty(SelectedDeadLetters work) {
        if (isDirty) {
            transactions.commit(partition, snapshot(), work.done());
            isDirty = false;
            work.committed();
        }
    }

    private ProgressState snapshot() {
        return progress.snapshot(0, true, Optional.empty());
    }

    private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(record.topic(), record.partition(), Math.max(0, record.timestamp()),
                record.key(), record.value(), record.headers());
    }
}
