package io.spillway.operator;

import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCursor;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterPage;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.view.SweepTarget;
import java.util.Optional;
import java.util.function.Function;

/**
 * The queue in Kafka as operators' actions need it. Thread-safe: each call has clients of its own. Each method throws
 * {@link io.spillway.kafka.topics.KafkaFailure} if the cluster refuses or does not answer.
 */
public interface OperatorQueue {
    /**
     * Number of waiting items.
     *
     * @param inDelay those of them that wait in delay
     * @param isAll   whether all were counted
     */
    record Waiting(long items, long inDelay, boolean isAll) {}

    /** Opens the compacted topics; the caller closes them. */
    CompactedStore open();

    /**
     * Counts the waiting items that a cancel covers. It reads all waiting items.
     *
     * @param beforeMillis time before which they entered, epoch milliseconds
     * @param maxMillis    time after which the count ends, incomplete
     */
    Waiting waiting(SweepTarget target, long beforeMillis, long maxMillis);

    /** Returns dead letters, the newest first, within the bounds of {@link DeadLetterPage}. */
    DeadLetterPage page(DeadLetterFilter filter, Optional<DeadLetterCursor> cursor, int limit);

    /** Returns the unfinished dead letter at a position; empty if there is none. */
    Optional<DeadLetter> deadLetter(int partition, long offset);

    /** Returns what an order would do, and changes nothing; empty if it was stopped. */
    Optional<Survey> survey(DisposalOrder order, ScanListener watch);

    /**
     * Surveys and processes the dead letters of an order, each exactly once.
     *
     * @param surveyed receives the survey before anything is changed, and returns the {@link DisposalOrder#begun}; may
     *                 throw {@link OperatorException}
     * @return empty if it was stopped before anything was changed
     * @throws io.spillway.deadletter.SupersededException if another run has started
     */
    Optional<RunResult> run(DisposalOrder order, Function<Survey, DisposalOrder> surveyed, ScanListener watch);
}
