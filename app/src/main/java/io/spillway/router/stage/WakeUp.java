package io.spillway.router.stage;

import java.time.Duration;
import java.util.function.LongConsumer;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Wakes a task at one time, which may be moved forward. A punctuation makes Kafka Streams commit a transaction even if
 * it does nothing, so one at a fixed beat would commit twenty times a second on an idle router for nothing.
 *
 * <p>Kafka Streams forgets a cancelled punctuation only when its time has come. Hence the bounds: an alarm is at most
 * {@value #MOST_AHEAD_MILLIS} ms ahead and is moved by no less than {@value #SLACK_MILLIS} ms, so it remembers at most
 * 200 of them. Owner: the processor of one task, on its thread.
 */
public final class WakeUp {
    static final long MOST_AHEAD_MILLIS = 10_000;
    /** By how much a timer may be late so that the alarm need not be moved. */
    public static final long SLACK_MILLIS = 50;

    private final ProcessorContext<?, ?> context;
    private final LongConsumer onAlarm;
    private Cancellable scheduled = () -> { };
    private long atMillis = Long.MAX_VALUE;

    /**
     * Makes an alarm that is not set.
     *
     * @param onAlarm gets the time, epoch milliseconds; the alarm is then no longer set
     */
    public WakeUp(ProcessorContext<?, ?> context, LongConsumer onAlarm) {
        this.context = context;
        this.onAlarm = onAlarm;
    }

    /**
     * Sees to it that the alarm goes off about then, or earlier.
     *
     * @param wantedMillis epoch milliseconds, may be past
     * @param nowMillis    epoch milliseconds
     */
    public void set(long wantedMillis, long nowMillis) {
        long at = Math.clamp(wantedMillis, nowMillis + 1, nowMillis + MOST_AHEAD_MILLIS);
        if (at < atMillis - SLACK_MILLIS) {
            scheduled.cancel();
            scheduled = context.schedule(Duration.ofMillis(at - nowMillis), PunctuationType.WALL_CLOCK_TIME, this::ring);
            atMillis = at;
        }
    }

    private void ring(long nowMillis) {
        scheduled.cancel();
        atMillis = Long.MAX_VALUE;
        onAlarm.accept(nowMillis);
    }
}
