package io.spillway.kafka.view;

import io.spillway.core.overload.LaneReport;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.LaneState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * What each worker has said of hot last. Owner: the view's thread; readers see whole reports. Who has said nothing for
 * {@value #ALIVE_MILLIS} ms since it was heard does not count, nor does what was said more than {@value #OLD_MILLIS} ms before
 * it was heard: clocks of machines may differ, but not by that.
 */
public final class LaneStates extends InstanceStatuses<LaneReport> {
    /** Longer than an idle worker is silent. */
    static final long ALIVE_MILLIS = 5_000;
    static final long OLD_MILLIS = 60_000;

    private final RecordCodec<LaneState> codec = new RecordCodec<>(new LaneState());
    private final InstantSource clock;

    /**
     * Has heard of nobody.
     *
     * @param clock for how long ago somebody was heard
     */
    public LaneStates(InstantSource clock) {
        super(ALIVE_MILLIS);
        this.clock = clock;
    }

    /** The bytes that a worker says now. */
    public byte[] encode(String worker, LaneReport report) {
        return codec.encode(new LaneState(
                worker, Instant.ofEpochMilli(clock.millis()), (long) report.slots(), report.possiblePerSecond(),
                report.handledPerSecond(), report.waiting(), report.ageMillis()));
    }

    /** What the workers that live have said last. */
    public List<LaneReport> reports() {
        return said(clock.millis(), worker -> true);
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        long slots = (Long) record.get("slots");
        LaneReport report = new LaneReport(
                slots == (int) slots ? (int) slots : 0,
                (Double) record.get("possiblePerSecond"),
                (Double) record.get("handledPerSecond"),
                (Long) record.get("hotWaiting"),
                (Double) record.get("hotAge"));
        long nowMillis = clock.millis();
        long saidMillis = (Long) record.get("at");
        hear(key, report, nowMillis - saidMillis > OLD_MILLIS ? saidMillis : nowMillis);
    }
}
