package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.MissedTimes;
import io.spillway.core.settings.Durations;
import io.spillway.kafka.codec.RecordCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/**
 * Schedule of a tenant, a value of the topic of schedules.
 *
 * @param name         within the tenant, in the same characters as a tenant
 * @param timing       when it has an item
 * @param missed       what becomes of times at which no router ran
 * @param withinMillis window after each time over which the first attempts spread; 0 for none
 * @param content      what each item is
 */
public record StoredSchedule(
        String tenant, String name, Timing timing, MissedTimes missed, long withinMillis, Content content) {
    /** Most bytes of a payload. */
    public static final int MAX_PAYLOAD_BYTES = 64 * 1024;
    /** Shortest period, in milliseconds. */
    public static final long LEAST_PERIOD_MILLIS = 1_000;
    /** Longest period, in milliseconds: ten years. */
    public static final long MOST_PERIOD_MILLIS = 3_650L * 24 * 60 * 60 * 1000;
    /** Most schedules of a tenant. */
    public static final int MOST_OF_TENANT = 1_000;
    /** Most schedules of a queue. */
    public static final int MOST = 100_000;
    /** Longest key, in bytes: the mark of {@link ScheduleTimes}, two names and the sign between them. */
    static final int MAX_KEY_BYTES = 2 + 2 * ItemLimits.MAX_NAME_LENGTH;

    private static final int MAX_TEXT = 200;
    private static final RecordCodec<io.spillway.schema.Schedule> CODEC =
            new RecordCodec<>(new io.spillway.schema.Schedule());

    /**
     * When a schedule has an item.
     *
     * @param cron         cron expression; empty for a period
     * @param zone         time zone of the expression
     * @param periodMillis period; 0 for an expression
     */
    public record Timing(String cron, String zone, long periodMillis) {
        /** @throws IllegalArgumentException unless it is an expression or a period within its limits */
        public Timing {
            boolean isPeriod = periodMillis >= LEAST_PERIOD_MILLIS && periodMillis <= MOST_PERIOD_MILLIS;
            if (cron.isEmpty() ? !isPeriod : periodMillis != 0 || cron.length() > MAX_TEXT) {
                throw new IllegalArgumentException("must be a cron expression or a period of 1s to 3650d");
            }
        }

        /** Returns it for people, as it was written. */
        public String text() {
            return cron.isEmpty() ? "every " + Durations.format(periodMillis) : cron + " " + zone;
        }
    }

    /** Workload, priority, media type and payload of each item; the payload is not modified. */
    public record Content(String workload, int priority, String contentType, byte[] payload) {
        /** @throws IllegalArgumentException for a value that an item cannot have */
        public Content {
            boolean isWorkload = workload.isEmpty() || ItemLimits.isName(workload);
            boolean isType = !contentType.isEmpty() && contentType.length() <= MAX_TEXT
                    && contentType.chars().allMatch(c -> c >= ' ' && c <= '~');
            if (!isWorkload || !isType || priority < 0 || priority > ItemLimits.MAX_PRIORITY
                    || payload.length > MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("invalid workload, priority, content type or size of the payload");
            }
        }
    }

    /** @throws IllegalArgumentException for a name or window that is not allowed */
    public StoredSchedule {
        if (!ItemLimits.isName(tenant) || !ItemLimits.isName(name)
                || withinMillis < 0 || withinMillis > ItemLimits.MAX_AHEAD_MILLIS) {
            throw new IllegalArgumentException("invalid tenant, name or window");
        }
    }

    /** Returns the key of a schedule. */
    public static String key(String tenant, String name) {
        return tenant + "/" + name;
    }

    /** Returns the key of this schedule. */
    public String key() {
        return key(tenant, name);
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded schedule */
    public static StoredSchedule decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        ByteBuffer buffer = (ByteBuffer) record.get("payload");
        byte[] payload = new byte[buffer.remaining()];
        buffer.get(payload);
        return new StoredSchedule(text(record, "tenant"), text(record, "name"),
                new Timing(text(record, "cron"), text(record, "zone"), (Long) record.get("periodMillis")),
                missed(text(record, "missed")), (Long) record.get("withinMillis"),
                new Content(text(record, "workload"), (Integer) record.get("priority"), text(record, "contentType"),
                        payload));
    }

    /** Returns the encoded schedule. */
    public byte[] encode() {
        return CODEC.encode(new io.spillway.schema.Schedule(tenant, name, timing.cron(), timing.zone(),
                timing.periodMillis(), missed.label(), withinMillis, content.workload(), content.priority(),
                content.contentType(), ByteBuffer.wrap(content.payload())));
    }

    private static String text(GenericRecord record, String field) {
        return record.get(field).toString();
    }

    private static MissedTimes missed(String label) {
        Optional<MissedTimes> missed =
                Arrays.stream(MissedTimes.values()).filter(each -> each.label().equals(label)).findFirst();
        return missed.orElseThrow(() -> new IllegalArgumentException("unknown rule for missed times"));
    }

    /** Schedules by key, as the topic has them. */
    public static final class All extends ViewContent<StoredSchedule> {
        @Override
        public void put(String key, byte[] value) {
            StoredSchedule schedule = decode(value);
            if (!schedule.key().equals(key)) {
                throw new IllegalArgumentException("the key is that of another schedule");
            }
            entries.put(key, schedule);
        }

        @Override
        int maxKeyBytes() {
            return MAX_KEY_BYTES;
        }

        /** Returns the schedules of a tenant or of all tenants by key, sorted. */
        public SortedMap<String, StoredSchedule> of(Optional<String> tenant) {
            SortedMap<String, StoredSchedule> found = new TreeMap<>(entries);
            tenant.ifPresent(name -> found.values().removeIf(schedule -> !schedule.tenant().equals(name)));
            return found;
        }
    }
}
