package io.spillway.kafka.view;

import io.spillway.core.overload.LaneReport;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.LaneState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * Latest status of the hot lane from each worker. Owner: the view's thread; readers see only complete reports. A status
 * counts for {@value #ALIVE_MILLIS} ms after its receipt, but not if it was published more than {@value #OLD_MILLIS} ms
 * before its receipt. That tolerates clock differences between machines.
 */
public final class LaneStates extends InstanceStatuses<LaneReport> {
    /** Longer than an idle worker's interval between statuses. */
    static final long ALIVE_MILLIS = 5_000;
    static final long OLD_MILLIS = 60_000;

    private final RecordCodec<LaneState> codec = new RecordCodec<>(new LaneState());

    /** Creates empty content; the clock measures the age of statuses. */
    public LaneStates(InstantSource clock) {
        super(ALIVE_MILLIS, clock);
    }

    /** Returns the encoded status of a worker at this moment. */
    public byte[] encode(String worker, LaneReport report) {
        return codec.encode(new LaneState(
                worker, Instant.ofEpochMilli(clock.millis()), (long) report.slots(), report.possiblePerSecond(),
                report.handledPerSecond(), report.waiting(), report.ageMillis()));
    }

    /** Returns the latest reports of all live workers. */
    public List<LaneReport> reports() {
        return latest(worker -> true);
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        long slots = (Long) record.get("slots");
        LaneReport report = new LaneReport(
                slots == (int) slots ? (int) slots : 0, (Double) record.get("possiblePerSecond"),
                (Double) record.get("handledPerSecond"), (Long) record.get("hotWaiting"),
                (Double) record.get("hotAge"));
        long nowMillis = clock.millis();
        long publishedMillis = (Long) record.get("at");
        update(key, report, nowMillis - publishedMillis > OLD_MILLIS ? publishedMillis : nowMillis);
    }
}
