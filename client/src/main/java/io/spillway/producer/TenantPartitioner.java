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
 * Puts a tenant's items on a few partitions of ingress, its shard, so that a flood of one tenant does not stand in front of
 * everybody's items at the router:
 *
 * <pre>{@code partitioner.class=io.spillway.producer.TenantPartitioner}</pre>
 *
 * <p>The tenant is the record's key. A record without a key goes to any partition. Among the partitions of its shard a tenant
 * takes turns after some records, so that they still make batches; one that has no leader is passed over.
 *
 * <p>The shard is that of the router's hash, {@link ShuffleSharder}, over as many slots as ingress has partitions. With the
 * same seed and size it has the same numbers as in the lanes while a tenant has no partitions of its own and no assigned shard.
 *
 * <p>Settings of the producer: {@value #SEED}, as {@code shards.seed} in the router (default 0), and {@value #SIZE}, partitions
 * of a tenant, 1 to 256 (default 4); more than there are count as all.
 *
 * <p>For any number of threads, as the producer is.
 */
public final class TenantPartitioner implements Partitioner {
    /** Setting: the seed of the hash. */
    public static final String SEED = "spillway.shards.seed";
    /** Setting: partitions of a tenant. */
    public static final String SIZE = "spillway.shards.size";

    private static final int RECORDS_IN_A_TURN_BITS = 6;

    private final ThreadLocal<int[]> shards = ThreadLocal.withInitial(() -> new int[ShuffleSharder.MAX_SIZE]);
    private final AtomicInteger records = new AtomicInteger();
    private long seed;
    private int size = 4;

    /** Made by the producer, by name. */
    public TenantPartitioner() {}

    @Override
    public void configure(Map<String, ?> settings) {
        seed = number(settings, SEED, 0, Long.MIN_VALUE, Long.MAX_VALUE);
        size = (int) number(settings, SIZE, 4, 1, ShuffleSharder.MAX_SIZE);
    }

    @Override
    public int partition(String topic, Object key, byte[] keyBytes, Object value, byte[] valueBytes, Cluster cluster) {
        int partitions = cluster.partitionCountForTopic(topic);
        int turn = (records.getAndIncrement() & Integer.MAX_VALUE) >>> RECORDS_IN_A_TURN_BITS;
        if (keyBytes == null || partitions > ShuffleSharder.MAX_SLOTS) {
            return turn % partitions;
        }
        int[] shard = shards.get();
        int count = Math.min(size, partitions);
        new ShuffleSharder(partitions, seed).shard(new String(keyBytes, StandardCharsets.UTF_8), count, shard);
        for (int i = 0; i < count; i++) {
            int partition = shard[(turn + i) % count];
            PartitionInfo info = cluster.partition(new TopicPartition(topic, partition));
            if (info != null && info.leader() != null) {
                return partition;
            }
        }
        return shard[turn % count];
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
        } catch (NumberFormatException notOne) {
            // said below
        }
        throw new ConfigException(key, value, "must be a whole number from " + min + " to " + max);
    }
}
