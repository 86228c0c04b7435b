package io.spillway.producer;

import io.spillway.core.sharding.ShuffleSharder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;

/**
 * Partitioner that spreads each tenant over a few partitions of ingress, its shard, so that one tenant's burst delays
 * only the items in these partitions:
 *
 * <pre>{@code partitioner.class=io.spillway.producer.TenantPartitioner}</pre>
 *
 * <p>The tenant is the record's key; a record without a key may go to any partition. A tenant uses the partitions of
 * its shard in rotation, 64 records of the producer at a time, so that records still form batches. Partitions without a
 * leader are skipped.
 *
 * <p>What follows a slash in the key is the item's order key ({@link #keyOf}). All records of a tenant and
 * order key go to one partition of the shard, also while it has no leader. When the shard changes, only those of
 * partitions that leave it, and a share of the others for each that joins it, go elsewhere.
 *
 * <p>The shard is computed as in the router, by {@link ShuffleSharder} over as many slots as ingress has partitions.
 * With the same seed and size it has the same partition numbers as in the lanes, unless the tenant has dedicated
 * partitions or an assigned shard. The gateways know dedicated partitions, and use them.
 *
 * <p>Producer settings: {@value #SEED}, equal to the router's {@code shards.seed} (default 0), and {@value #SIZE},
 * partitions per tenant from 1 to 256 (default 4; at most all partitions are used). {@value #SHARDS}, a
 * {@link Shards}, precedes them where it knows a tenant's partitions.
 *
 * <p>Thread-safe.
 */
public final class TenantPartitioner implements Partitioner {
    /** Setting: seed of the hash. */
    public static final String SEED = "spillway.shards.seed";
    /** Setting: partitions per tenant. */
    public static final String SIZE = "spillway.shards.size";

    /** Setting: a {@link Shards} that precedes seed and size. */
    public static final String SHARDS = "spillway.shards.of";

    /** Between tenant and order key; no tenant contains it. */
    private static final char SEPARATOR = '/';
    private static final int RECORDS_PER_ROUND_BITS = 6;

    /** Shards of tenants. Implementations must be thread-safe. */
    @FunctionalInterface
    public interface Shards {
        /**
         * Writes the partitions of a tenant, and returns their number; 0 if seed and size decide.
         *
         * @param partitions number of partitions of the topic; each result is below it
         * @param into       array of length 256 for the result, unordered
         */
        int ofTenant(String tenant, int partitions, int[] into);
    }

    private final ThreadLocal<int[]> shards = ThreadLocal.withInitial(() -> new int[ShuffleSharder.MAX_SIZE]);
    private final AtomicInteger records = new AtomicInteger();
    private long seed;
    private int size = 4;
    private Shards known = (tenant, partitions, into) -> 0;

    /**
     * Returns the key of an item's record, by which any partitioner keeps those of a tenant and order key in one
     * partition.
     *
     * @param orderKey empty for none
     * @return the tenant; with an order key, a slash and the order key after it
     * @throws IllegalArgumentException if one of them is not allowed
     */
    public static byte[] keyOf(String tenant, String orderKey) {
        ItemChecks.requireName("tenant", tenant);
        String key = orderKey.isEmpty() ? tenant : tenant + SEPARATOR + ItemChecks.requireId("orderKey", orderKey);
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void configure(Map<String, ?> settings) {
        seed = number(settings, SEED, 0, Long.MIN_VALUE, Long.MAX_VALUE);
        size = (int) number(settings, SIZE, 4, 1, ShuffleSharder.MAX_SIZE);
        known = settings.get(SHARDS) instanceof Shards given ? given : known;
    }

    @Override
    public int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster) {
        int partitions = cluster.partitionCountForTopic(topic);
        int round = (records.getAndIncrement() & Integer.MAX_VALUE) >>> RECORDS_PER_ROUND_BITS;
        if (keyBytes == null || partitions > ShuffleSharder.MAX_SLOTS) {
            return round % partitions;
        }
        int[] shard = shards.get();
        String text = new String(keyBytes, StandardCharsets.UTF_8);
        int end = text.indexOf(SEPARATOR);
        String tenant = end < 0 ? text : text.substring(0, end);
        ShuffleSharder sharder = new ShuffleSharder(partitions, seed);
        int count = known.ofTenant(tenant, partitions, shard);
        if (count == 0) {
            count = Math.min(size, partitions);
            sharder.shard(tenant, count, shard);
        }
        if (end >= 0) {
            return sharder.slot(tenant, text.substring(end + 1), shard, count);
        }
        for (int i = 0; i < count; i++) {
            int partition = shard[(round + i) % count];
            PartitionInfo info = cluster.partition(new TopicPartition(topic, partition));
            if (info != null && info.leader() != null) {
                return partition;
            }
        }
        return shard[round % count];
    }

    @Override
    public void close() {
        shards.remove();
    }

    private static long number(Map<String, ?> settings, String key, long absent, long min, long max) {
        Object value = settings.get(key);
        if (value == null) {
            return absent;
        }
        try {
            long number = Long.parseLong(value.toString().strip());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // reported below
        }
        throw new ConfigException(key, value, "must be a whole number from " + min + " to " + max);
    }
}
