package io.spillway.kafka.view;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.WorkerReport;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.LaneState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/**
 * Latest load of each worker. Owner: the view's thread; readers see only complete reports. A status
 * counts for {@value #ALIVE_MILLIS} ms after its receipt, but not if it was published more than {@value #OLD_MILLIS} ms
 * before its receipt. That tolerates clock differences between machines.
 */
public final class LaneStates extends InstanceStatuses<WorkerReport> {
    /** Longer than an idle worker's interval between statuses. */
    static final long ALIVE_MILLIS = 5_000;
    static final long OLD_MILLIS = 60_000;
    /** Bound of the view. */
    public static final int MAX_WORKERS = 10_000;

    private final RecordCodec<LaneState> codec = new RecordCodec<>(new LaneState());

    /** Creates empty content; the clock measures the age of statuses. */
    public LaneStates(InstantSource clock) {
        super(ALIVE_MILLIS, clock);
    }

    /** Returns the encoded status of a worker at this moment. */
    public byte[] encode(String worker, WorkerReport report) {
        return codec.encode(new LaneState(
                worker, Instant.ofEpochMilli(clock.millis()), (long) report.slots(), report.possiblePerSecond(),
                report.handledPerSecond(), report.waiting(), report.ageMillis(), report.hotPerSecond(),
                owned(report, Lane.HOT), owned(report, Lane.OVERFLOW), owned(report, Lane.AGED)));
    }

    private static List<Integer> owned(WorkerReport report, Lane lane) {
        return report.owned(lane).stream().sorted().toList();
    }

    /** Returns the latest reports of all live workers, by name. */
    public Map<String, WorkerReport> reports() {
        return latestByInstance();
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        long slots = (Long) record.get("slots");
        WorkerReport report = new WorkerReport(
                slots == (int) slots ? (int) slots : 0, (Double) record.get("possiblePerSecond"),
                (Double) record.get("hotPossiblePerSecond"), (Double) record.get("handledPerSecond"),
                (Long) record.get("hotWaiting"), (Double) record.get("hotAge"),
                Map.of(Lane.HOT, partitions(record, "ownedHot"), Lane.OVERFLOW, partitions(record, "ownedOverflow"),
                        Lane.AGED, partitions(record, "ownedAged")));
        long nowMillis = clock.millis();
        long publishedMillis = (Long) record.get("at");
        update(key, report, nowMillis - publishedMillis > OLD_MILLIS ? publishedMillis : nowMillis);
    }

    @SuppressWarnings("unchecked")
    private static Set<Integer> partitions(GenericRecord record, String field) {
        return Set.copyOf((List<Integer>) record.get(field));
    }
}
