package io.spillway.router.schedules;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.core.schedule.DueTimes;
import io.spillway.core.schedule.Occurrences;
import io.spillway.core.text.Printable;
import io.spillway.cron.CronExpressions;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ScheduleTimes;
import io.spillway.kafka.view.StoredSchedule;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.producer.ItemBuilder;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.stage.WakeUp;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor of the schedule stage: sends an item to ingress at each time of a schedule. The item and the progress of
 * its schedule are written in one transaction, so each time is fired once, over restarts and rebalances. The topic of
 * schedules has one partition, so all instances together run one such task.
 *
 * <p>A new schedule begins at the time of its record. A change of anything but its times keeps its progress, so missed
 * times are not lost; a change of its times begins again at the time of its record.
 *
 * <p>Owner: one stream thread. Bound: {@value StoredSchedule#MOST} schedules, of which the keys and next times are in
 * memory. A run sends at most {@value #MOST_ITEMS} items or {@value #MOST_BYTES} bytes, and at most
 * {@value #MOST_OF_ONE} of a schedule before the others that are due have had their turn.
 */
public final class ScheduleProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    private static final Logger LOG = LoggerFactory.getLogger(ScheduleProcessor.class);
    static final int MOST_ITEMS = 200;
    static final int MOST_OF_ONE = 50;
    private static final int MOST_BYTES = 8 * 1024 * 1024;
    /** Room for the key and headers of a record. */
    private static final int FRAMING_BYTES = 2 * 1024;
    private static final Bytes FIRST = bytes(ScheduleTimes.MARK);
    private static final Bytes LAST = bytes("\"");

    /** @param turnMillis its next time; or, if that has passed, when it was last fired: others go first */
    private record Waiting(long turnMillis, String key) {}

    private final Topics topics;
    private final PlacementView placements;
    private final TenantPolicies policies;
    private final Counter fired;
    private final Counter leftOut;
    private final TreeSet<Waiting> waiting =
            new TreeSet<>(Comparator.comparingLong(Waiting::turnMillis).thenComparing(Waiting::key));
    private ProcessorContext<byte[], PartitionedValue> context;
    private KeyValueStore<Bytes, byte[]> store;
    private WakeUp wakeUp;

    /** Creates the processor, whose counters count an aborted transaction again. */
    public ScheduleProcessor(Topics topics, PlacementView placements, TenantPolicies policies, MeterRegistry registry) {
        this.topics = topics;
        this.placements = placements;
        this.policies = policies;
        this.fired = Counter.builder("spillway.schedules.fired").description("Items of schedules").register(registry);
        this.leftOut = Counter.builder("spillway.schedules.missed")
                .description("Gaps of schedules: missed times in a row that have no items").register(registry);
    }

    /** Reads when each schedule is due. Also called again after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        context = processorContext;
        store = processorContext.getStateStore(Topics.SCHEDULE_STORE);
        wakeUp = new WakeUp(processorContext, this::onWakeUp);
        waiting.clear();
        try (KeyValueIterator<Bytes, byte[]> all = store.range(FIRST, LAST)) {
            while (all.hasNext()) {
                KeyValue<Bytes, byte[]> entry = all.next();
                String key = new String(entry.key.get(), StandardCharsets.UTF_8).substring(1);
                waiting.add(new Waiting(ScheduleTimes.decode(entry.value).nextMillis(), key));
            }
        }
        LOG.info("{} schedules", waiting.size());
        setWakeUp(context.currentSystemTimeMs());
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        if (record.value() == null) {
            remove(key);
            return;
        }
        try {
            set(key, record.value(), record.timestamp());
        } catch (IllegalArgumentException e) {
            LOG.warn("Skipped a record for schedule {}: {}. Find the program that writes it.",
                    Printable.of(key), Printable.of(e.getMessage()));
        }
        setWakeUp(context.currentSystemTimeMs());
    }

    private void set(String key, byte[] value, long setAtMillis) {
        StoredSchedule schedule = StoredSchedule.decode(value);
        ScheduleTimes before = times(key);
        int bytes = schedule.content().payload().length;
        if (!schedule.key().equals(key)) {
            throw new IllegalArgumentException("its key is that of another schedule");
        } else if (bytes + FRAMING_BYTES > topics.ingressMaxBytes()) {
            throw new IllegalArgumentException("its payload has " + bytes + " bytes, too many for topics.maxBytes");
        } else if (before == null && waiting.size() >= StoredSchedule.MOST) {
            throw new IllegalArgumentException("there are " + StoredSchedule.MOST + " schedules, which is the limit");
        }
        Occurrences occurrences = CronExpressions.timesOf(schedule.timing());
        boolean isContinued = before != null && definition(key).timing().equals(schedule.timing());
        store.put(bytes(key), value);
        if (!isContinued) {
            long untilMillis = Math.max(before == null ? 0 : before.untilMillis(), setAtMillis);
            ScheduleTimes begun = new ScheduleTimes(untilMillis, before == null ? 0 : before.firedMillis(),
                    occurrences.after(untilMillis).orElse(Long.MAX_VALUE));
            removeWaiting(key, before);
            put(key, begun, 0);
        }
    }

    private void remove(String key) {
        ScheduleTimes before = times(key);
        if (before != null) {
            removeWaiting(key, before);
            store.delete(bytes(key));
            store.delete(bytes(ScheduleTimes.key(key)));
        }
    }

    private void onWakeUp(long nowMillis) {
        int items = MOST_ITEMS;
        long bytes = MOST_BYTES;
        while (items > 0 && bytes > 0 && !waiting.isEmpty() && waiting.first().turnMillis() <= nowMillis) {
            String key = waiting.pollFirst().key();
            StoredSchedule schedule = definition(key);
            int size = schedule.content().payload().length + FRAMING_BYTES;
            int sent = fire(schedule, nowMillis, Math.clamp(bytes / size, 1, Math.min(items, MOST_OF_ONE)));
            items -= Math.max(1, sent);
            bytes -= (long) sent * size;
        }
        setWakeUp(nowMillis);
    }

    private int fire(StoredSchedule schedule, long nowMillis, int most) {
        ScheduleTimes before = times(schedule.key());
        Occurrences occurrences = CronExpressions.timesOf(schedule.timing());
        DueTimes due = DueTimes.of(occurrences, schedule.missed(), before.untilMillis(), nowMillis, most);
        due.times().forEach(atMillis -> send(schedule, atMillis, nowMillis));
        if (due.isLeftOut()) {
            leftOut.increment();
        }
        long firedMillis = due.times().isEmpty() ? before.firedMillis() : due.times().getLast();
        put(schedule.key(), new ScheduleTimes(due.untilMillis(), firedMillis,
                occurrences.after(due.untilMillis()).orElse(Long.MAX_VALUE)), nowMillis);
        return due.times().size();
    }

    /** Sends an item that is as old as its record: how late it is was decided by the rule for missed times. */
    private void send(StoredSchedule schedule, long atMillis, long nowMillis) {
        String id = schedule.name() + "@" + Instant.ofEpochMilli(atMillis);
        StoredSchedule.Content content = schedule.content();
        ItemBuilder item = ItemBuilder.of(schedule.tenant()).id(id).workload(content.workload())
                .enqueuedAt(Instant.ofEpochMilli(nowMillis)).contentType(content.contentType())
                .payload(content.payload());
        if (content.priority() != ItemLimits.NORMAL_PRIORITY) {
            item.priority(content.priority());
        }
        long deliverAtMillis =
                atMillis + DeliveryWindow.offsetMillis(schedule.tenant(), id, schedule.withinMillis());
        if (deliverAtMillis > nowMillis) {
            item.deliverAt(Instant.ofEpochMilli(deliverAtMillis), Instant.ofEpochMilli(nowMillis));
        }
        ProducerRecord<byte[], byte[]> record = item.toRecord(topics.ingress());
        // As the gateway does: one of the partitions of the tenant, here by the id.
        int[] own = placements.partitions(schedule.tenant(), policies.of(schedule.tenant()));
        int partition = own[(int) DeliveryWindow.offsetMillis(schedule.tenant(), id, own.length)];
        context.forward(new Record<>(
                record.key(), new PartitionedValue(record.value(), partition), nowMillis, record.headers()));
        fired.increment();
    }

    private void put(String key, ScheduleTimes times, long nowMillis) {
        store.put(bytes(ScheduleTimes.key(key)), times.encode());
        waiting.add(new Waiting(Math.max(times.nextMillis(), nowMillis), key));
    }

    /** A schedule that waits for its turn has a later time in the set than in the store. */
    private void removeWaiting(String key, ScheduleTimes before) {
        if (before != null && !waiting.remove(new Waiting(before.nextMillis(), key))) {
            waiting.removeIf(each -> each.key().equals(key));
        }
    }

    private void setWakeUp(long nowMillis) {
        if (!waiting.isEmpty() && waiting.first().turnMillis() < Long.MAX_VALUE) {
            wakeUp.set(Math.max(waiting.first().turnMillis(), nowMillis + WakeUp.SLACK_MILLIS), nowMillis);
        }
    }

    private ScheduleTimes times(String key) {
        byte[] value = store.get(bytes(ScheduleTimes.key(key)));
        return value == null ? null : ScheduleTimes.decode(value);
    }

    private StoredSchedule definition(String key) {
        return StoredSchedule.decode(store.get(bytes(key)));
    }

    private static Bytes bytes(String text) {
        return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
