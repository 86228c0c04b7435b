package io.spillway.router.stage;

import java.time.Duration;
import java.util.function.LongConsumer;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * One-shot timer of a task, which can be moved forward. A punctuation at a fixed rate would make an idle router commit
 * a transaction at every tick, because Kafka Streams commits after each punctuation.
 *
 * <p>It has no phase by host: what it waits for, such as a due time or a change, differs by task.
 *
 * <p>All times are epoch milliseconds. Kafka Streams keeps a cancelled punctuation until its time has passed. Bound:
 * the timer is set at most {@value #MOST_AHEAD_MILLIS} ms ahead and moved by at least {@value #SLACK_MILLIS} ms, so at
 * most 200 are kept. Owner: the processor of one task, on its thread.
 */
public final class WakeUp {
    static final long MOST_AHEAD_MILLIS = 10_000;
    /** Delay by which the timer may fire late before it is moved. */
    public static final long SLACK_MILLIS = 50;

    private final ProcessorContext<?, ?> context;
    private final LongConsumer onFire;
    private Cancellable scheduled = () -> { };
    private long atMillis = Long.MAX_VALUE;

    /** Creates a timer that is not set. The consumer receives the time, when the timer is no longer set. */
    public WakeUp(ProcessorContext<?, ?> context, LongConsumer onFire) {
        this.context = context;
        this.onFire = onFire;
    }

    /** Sets the timer to fire at about the wanted time, maybe in the past, unless it is set to an earlier one. */
    public void set(long wantedMillis, long nowMillis) {
        long nextMillis = Math.clamp(wantedMillis, nowMillis + 1, nowMillis + MOST_AHEAD_MILLIS);
        if (nextMillis < atMillis - SLACK_MILLIS) {
            scheduled.cancel();
            scheduled = context.schedule(
                    Duration.ofMillis(nextMillis - nowMillis), PunctuationType.WALL_CLOCK_TIME, this::fire);
            atMillis = nextMillis;
        }
    }

    private void fire(long nowMillis) {
        scheduled.cancel();
        atMillis = Long.MAX_VALUE;
        onFire.accept(nowMillis);
    }
}
