package io.spillway.kafka.view;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.LaneState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
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
                owned(report),
                report.suspects().sinceMillis(), report.suspects().turnMillis(),
                report.suspects().convictedAtMillis(), report.pool(), (long) report.use().running(),
                report.use().large()));
    }

    private static Map<String, List<Integer>> owned(WorkerReport report) {
        return Lane.WORKED.stream().collect(Collectors.toMap(
                Lane::label, lane -> report.owned(lane).stream().sorted().toList()));
    }

    /** Returns the latest reports of all live workers, by name. */
    public Map<String, WorkerReport> reports() {
        return latestByInstance();
    }

    /** Returns the latest statuses of the suspects of all workers, live or not, by name. */
    public Map<String, SuspectStatus.Received> suspects() {
        return received().entrySet().stream().collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry ->
                new SuspectStatus.Received(entry.getValue().status().suspects(), entry.getValue().atMillis())));
    }

    @Override
    public void put(String key, byte[] value) {
        GenericRecord record = codec.decode(value);
        WorkerReport report = new WorkerReport(
                whole(record, "slots"), (Double) record.get("possiblePerSecond"),
                (Double) record.get("hotPossiblePerSecond"), (Double) record.get("handledPerSecond"),
                (Long) record.get("hotWaiting"), (Double) record.get("hotAge"),
                owned((Map<?, ?>) record.get("owned")),
                record.get("pool").toString(), new SlotUse(whole(record, "running"), byTenant(record, "large")),
                new SuspectStatus((Long) record.get("suspectsSince"), (Long) record.get("suspectsTurn"),
                        byTenant(record, "convicted")));
        long nowMillis = clock.millis();
        long publishedMillis = (Long) record.get("at");
        update(key, report, nowMillis - publishedMillis > OLD_MILLIS ? publishedMillis : nowMillis);
    }

    /** Returns a number; one that is too large becomes -1, which the report refuses. */
    private static int whole(GenericRecord record, String field) {
        long number = (Long) record.get(field);
        return number == (int) number ? (int) number : -1;
    }

    @SuppressWarnings("unchecked")
    private static <V> Map<String, V> byTenant(GenericRecord record, String field) {
        return ((Map<?, V>) record.get(field)).entrySet().stream().collect(Collectors.toUnmodifiableMap(
                tenant -> tenant.getKey().toString(), Map.Entry::getValue));
    }

    @SuppressWarnings("unchecked")
    private static Map<Lane, Set<Integer>> owned(Map<?, ?> byLabel) {
        Map<Lane, Set<Integer>> owned = new EnumMap<>(Lane.class);
        byLabel.forEach((label, partitions) -> Lane.WORKED.stream()
                .filter(lane -> lane.label().equals(label.toString()))
                .forEach(lane -> owned.put(lane, Set.copyOf((List<Integer>) partitions))));
        return owned;
    }
}
