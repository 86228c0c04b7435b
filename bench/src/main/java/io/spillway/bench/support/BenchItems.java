package io.spillway.bench.support;

import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Items of exactly {@value #VALUE_BYTES} bytes in single-object encoding. The payload comes last in the encoding, so
 * the last eight bytes of a value are ours: the number of the item, or the nanosecond at which it should have been
 * sent.
 *
 * <p>Tenants are drawn uniformly with a fixed seed: every contender and every round has the same sequence. Not
 * thread-safe.
 */
public final class BenchItems {
    public static final int VALUE_BYTES = 200;
    private static final long SEED = 20_261_121;
    private static final String ID_PREFIX = "item-";
    private static final String TENANT_PREFIX = "tenant-";
    private static final byte[] ORDER_KEY = {'k'};
    private static final int TENANT_DIGITS = 6;
    private static final int ID_DIGITS = 12;
    /** Behind the marker and fingerprint of the encoding, the tenant with its length in a byte, and the id's length. */
    private static final int ID_NUMBER_AT =
            10 + 1 + TENANT_PREFIX.length() + TENANT_DIGITS + 1 + ID_PREFIX.length();

    private final byte[][] keys;
    private final String[] tenants;
    private final String[] workloads;
    private final Random random = new Random(SEED);
    private final byte[] payload;
    private long next;

    public BenchItems(int tenantCount) {
        this(tenantCount, false);
    }

    /**
     * Items of tenants, or of workloads of one tenant.
     *
     * @param count         how many tenants or workloads
     * @param areWorkloads  whether all are workloads of the first tenant, with the names that tenants have
     */
    public BenchItems(int count, boolean areWorkloads) {
        this.tenants = new String[count];
        this.workloads = new String[count];
        this.keys = new byte[count][];
        for (int i = 0; i < count; i++) {
            tenants[i] = tenant(areWorkloads ? 0 : i);
            workloads[i] = areWorkloads ? tenant(i) : "";
            keys[i] = tenants[i].getBytes(StandardCharsets.US_ASCII);
        }
        this.payload = new byte[payloadBytes(workloads[0])];
        new Random(SEED).nextBytes(payload);
    }

    /** Name of a tenant; all have the same length. */
    public static String tenant(int number) {
        return TENANT_PREFIX + "%06d".formatted(number);
    }

    /** One item to send. */
    public record Item(byte[] key, byte[] value) {
        /**
         * Returns its record.
         *
         * @param isOrdered whether all items of its tenant have one order key
         */
        public ProducerRecord<byte[], byte[]> to(String topic, boolean isOrdered) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key, value);
            if (isOrdered) {
                record.headers().add(ItemHeaders.ORDER_KEY, ORDER_KEY);
            }
            return record;
        }
    }

    /**
     * The next item.
     *
     * @param madeAt its {@code enqueuedAt}
     * @param mark   goes into its last eight bytes
     */
    public Item next(Instant madeAt, long mark) {
        return of(random.nextInt(tenants.length), next++, madeAt, mark);
    }

    /**
     * The item of this number and tenant.
     *
     * @param tenant 0 to the number of tenants, exclusive
     * @param number of the item, 0 or more; its id ends with it
     */
    public Item of(int tenant, long number, Instant madeAt, long mark) {
        byte[] value = encode(tenants[tenant], number, madeAt, workloads[tenant], payload);
        if (value.length != VALUE_BYTES) {
            throw new IllegalStateException(value.length + " bytes where " + VALUE_BYTES + " were meant");
        }
        ByteBuffer.wrap(value).putLong(VALUE_BYTES - Long.BYTES, mark);
        return new Item(keys[tenant], value);
    }

    /** The number of an item, by its id. */
    public static int numberOf(String id) {
        return Integer.parseInt(id, ID_PREFIX.length(), id.length(), 10);
    }

    /** The number of an item, by its value: names and ids all have the same length, so it stands at one place. */
    public static int numberIn(byte[] value) {
        int number = 0;
        for (int i = ID_NUMBER_AT; i < ID_NUMBER_AT + ID_DIGITS; i++) {
            number = 10 * number + value[i] - '0';
        }
        return number;
    }

    /** The number of a tenant, by the key of its items. */
    public static int tenantOf(byte[] key) {
        return tenantOf(new String(key, StandardCharsets.US_ASCII));
    }

    /** The number of a tenant, by its name. */
    public static int tenantOf(String name) {
        return Integer.parseInt(name, TENANT_PREFIX.length(), name.length(), 10);
    }

    /** The mark of an item. */
    public static long markOf(byte[] value) {
        return ByteBuffer.wrap(value).getLong(VALUE_BYTES - Long.BYTES);
    }

    /** As many as make up the size; the length prefix of 64 and more bytes takes two, like that of the real payload. */
    private static int payloadBytes(String workload) {
        int probe = 100;
        return VALUE_BYTES - encode(tenant(0), 0, Instant.now(), workload, new byte[probe]).length + probe;
    }

    private static byte[] encode(String tenant, long number, Instant madeAt, String workload, byte[] payload) {
        WorkItem item = new WorkItem(
                tenant,
                ID_PREFIX + "%012d".formatted(number),
                madeAt,
                workload,
                null,
                "application/octet-stream",
                Map.of(),
                ByteBuffer.wrap(payload));
        try {
            ByteBuffer encoded = WorkItem.getEncoder().encode(item);
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
