package io.spillway.operator;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCursor;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterPage;
import io.spillway.deadletter.DeadLetterRun;
import io.spillway.deadletter.DeadLetters;
import io.spillway.deadletter.Disposal;
import io.spillway.deadletter.Replay;
import io.spillway.deadletter.ReplayForecast;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/**
 * The queue on a cluster.
 *
 * @param clock  clock of counts and timeouts
 * @param stores opens the compacted topics
 */
public record KafkaQueue(Configuration configuration, InstantSource clock, Supplier<CompactedStore> stores)
        implements OperatorQueue {
    @Override
    public CompactedStore open() {
        return stores.get();
    }

    @Override
    public Waiting waiting(SweepTarget target, long beforeMillis, long maxMillis) {
        Count count = new Count(target, beforeMillis, clock.millis() + maxMillis, maxMillis);
        try (Census census = new Census(configuration, clock)) {
            census.forEachInIngress(false, count);
            census.forEach(false, count);
        } catch (TimeIsOver e) {
            return new Waiting(count.items, count.inDelay, false);
        } catch (KafkaException e) {
            throw new KafkaFailure("cannot count the waiting items", e);
        }
        return new Waiting(count.items, count.inDelay, true);
    }

    /** End of a count whose time is over. */
    private static final class TimeIsOver extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TimeIsOver() {
            super("the time to count is over", null, false, false);
        }
    }

    /** Count of one call, on its thread. */
    private final class Count implements Consumer<StoredItem> {
        private final SweepTarget target;
        private final long beforeMillis;
        private final long endMillis;
        private final boolean isTimed;
        private long seen;
        private long items;
        private long inDelay;

        Count(SweepTarget target, long beforeMillis, long endMillis, long maxMillis) {
            this.target = target;
            this.beforeMillis = beforeMillis;
            this.endMillis = endMillis;
            this.isTimed = maxMillis < Long.MAX_VALUE;
        }

        @Override
        public void accept(StoredItem item) {
            if (isCovered(item)) {
                items++;
                inDelay += item.place() == ItemState.DELAY ? 1 : 0;
            }
            if (isTimed && ++seen % 1_000 == 0 && clock.millis() > endMillis) {
                throw new TimeIsOver();
            }
        }

        private boolean isCovered(StoredItem item) {
            return item.isWaiting()
                    && (item.place() == ItemState.OUTSIDE || ItemState.WAITING.contains(item.place()))
                    && item.timestampMillis() < beforeMillis
                    && item.reading() instanceof ParsedRecord.Item read && read.tenant().equals(target.tenant())
                    && (target.workload().isEmpty() || target.workload().equals(read.workload()))
                    && (target.itemId().isEmpty() || target.itemId().equals(item.id()));
        }
    }

    @Override
    public DeadLetterPage page(DeadLetterFilter filter, Optional<DeadLetterCursor> cursor, int limit) {
        return reading(letters -> letters.page(filter, cursor, limit));
    }

    @Override
    public Optional<DeadLetter> deadLetter(int partition, long offset) {
        return reading(letters -> letters.at(partition, offset));
    }

    /** Reads dead letters; a refusal of the cluster that a client throws as it is becomes a failure for operators. */
    private <T> T reading(Function<DeadLetters, T> reader) {
        try (DeadLetters letters = new DeadLetters(configuration, clock)) {
            return reader.apply(letters);
        } catch (KafkaException e) {
            throw new KafkaFailure("cannot read the dead letters", e);
        }
    }

    @Override
    public Optional<Survey> survey(DisposalOrder order, ScanListener watch) {
        Disposal disposal = order.disposal(new Topics(configuration.queue()));
        ReplayForecast forecast = disposal instanceof Replay replay ? forecast(replay) : ReplayForecast.NONE;
        return reading(letters -> letters.survey(order.filter(), disposal, order.limit(), forecast, watch));
    }

    private ReplayForecast forecast(Replay replay) {
        try (CompactedStore store = open()) {
            return ReplayForecast.of(
                    replay,
                    store.read(replay.topics().policies(), new TenantPolicies(configuration.defaults())),
                    store.read(replay.topics().sweeps(), new Sweeps()));
        }
    }

    @Override
    public Optional<RunResult> run(DisposalOrder order, Function<Survey, DisposalOrder> surveyed, ScanListener watch) {
        Topics topics = new Topics(configuration.queue());
        try (DeadLetterRun run = new DeadLetterRun(configuration, clock)) {
            return run.survey(order.filter(), order.disposal(topics), order.limit(), watch).map(survey ->
                    run.run(survey, order.filter(), surveyed.apply(survey).disposal(topics), watch));
        } catch (KafkaException e) {
            throw new KafkaFailure("cannot read the dead letters", e);
        }
    }
}
