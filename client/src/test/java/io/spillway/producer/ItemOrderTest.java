package io.spillway.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.sharding.ShuffleSharder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order key and deduplication: what the builder makes of them, and the partitions of records with an order key. */
class ItemOrderTest {
    private static final Node BROKER = new Node(1, "localhost", 1);

    @Test
    void order_key_and_deduplication_are_headers_in_both_forms_of_an_item_and_the_key_of_the_record_has_the_first() {
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(Instant.EPOCH).orderKey("a/b c").dedupe();
        for (ProducerRecord<byte[], byte[]> record :
                List.of(builder.toRecord("in"), builder.channel("web").toRecord("in"))) {
            assertThat(record.key()).asString().isEqualTo("acme/a/b c");
            assertThat(headers(record)).containsEntry("spillway-order-key", "a/b c")
                    .containsEntry("spillway-dedupe", "true");
        }
        assertThat(headers(ItemBuilder.of("acme").id("1").toRecord("in")))
                .containsOnlyKeys("spillway-tenant", "spillway-id");
    }

    @Test
    void deduplication_needs_an_id() {
        assertThatThrownBy(() -> ItemBuilder.of("acme").dedupe().toRecord("in"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The item has no id. Set it: dedupe compares ids");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ä", "a\n"})
    void an_order_key_is_printable_text(String key) {
        assertThatThrownBy(() -> ItemBuilder.of("acme").orderKey(key)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("orderKey has ")
                .hasMessageEndingWith("Allowed: 1 to 256 printable ASCII characters");
    }

    @ParameterizedTest(name = "{0} with {1} is {2}")
    @CsvSource({"acme, '', acme", "acme, k, acme/k", "a|b, ' k/', 'a|b/ k/'"})
    void the_key_of_a_record_is_the_tenant_and_the_order_key_after_a_slash(String tenant, String key, String expected) {
        assertThat(TenantPartitioner.keyOf(tenant, key)).asString().isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"a/b, k", "'', k", "acme, ö"})
    void what_no_item_can_have_is_in_no_key_of_a_record(String tenant, String key) {
        assertThatThrownBy(() -> TenantPartitioner.keyOf(tenant, key)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest(name = "{0} partitions, {2} a tenant, seed {1}")
    @CsvSource({"12, 0, 4", "64, 42, 2", "3, -1, 4", "1, 0, 4", "2048, 7, 32"})
    void each_order_key_has_one_partition_of_the_shard_and_many_are_spread_over_all(
            int partitions, long seed, int size) {
        TenantPartitioner partitioner = partitioner(seed, size);
        TenantPartitioner other = partitioner(seed, size);
        Cluster up = cluster(partitions, BROKER);
        Cluster down = cluster(partitions, null);
        int[] shard = new ShuffleSharder(partitions, seed).shard("acme", Math.min(size, partitions));
        int each = 100;
        Map<Integer, Integer> keys = new TreeMap<>();
        for (int i = 0; i < each * shard.length; i++) {
            int partition = partition(partitioner, "k" + i, up);
            keys.merge(partition, 1, Integer::sum);
            assertThat(partition(partitioner, "k" + i, up)).isEqualTo(partition);
            assertThat(partition(other, "k" + i, down)).as("another producer, without leaders").isEqualTo(partition);
        }
        assertThat(keys.keySet()).isEqualTo(Arrays.stream(shard).boxed().collect(Collectors.toSet()));
        assertThat(keys.values()).allMatch(count -> count > each / 2 && count < each * 3 / 2);
    }

    @Test
    void keys_do_not_depend_on_the_order_of_a_shard_and_few_move_when_a_partition_joins_or_leaves_it() {
        int[] before = ofShard(3, 8, 11, 20);
        assertThat(ofShard(20, 11, 8, 3)).isEqualTo(before);
        int[] other = ofShard(3, 8, 11, 5);
        int[] larger = ofShard(3, 8, 11, 20, 5);
        int joined = 0;
        for (int i = 0; i < before.length; i++) {
            assertThat(other[i]).isIn(before[i] == 20 ? Set.of(3, 8, 11, 5) : Set.of(before[i], 5));
            assertThat(larger[i]).isIn(before[i], 5);
            joined += larger[i] == 5 ? 1 : 0;
        }
        assertThat(joined).isBetween(150, 250);
    }

    /** Returns the partitions of a thousand keys in this shard. */
    private static int[] ofShard(int... shard) {
        TenantPartitioner partitioner = new TenantPartitioner();
        TenantPartitioner.Shards known = (tenant, partitions, into) -> {
            assertThat(tenant).isEqualTo("acme");
            System.arraycopy(shard, 0, into, 0, shard.length);
            return shard.length;
        };
        partitioner.configure(Map.of(TenantPartitioner.SHARDS, known));
        Cluster cluster = cluster(24, BROKER);
        int[] result = new int[1_000];
        for (int i = 0; i < result.length; i++) {
            result[i] = partition(partitioner, "k" + i, cluster);
        }
        return result;
    }

    private static int partition(TenantPartitioner partitioner, String orderKey, Cluster cluster) {
        byte[] key = TenantPartitioner.keyOf("acme", orderKey);
        return partitioner.partition("in", key, key, null, null, cluster);
    }

    private static Cluster cluster(int partitions, Node leader) {
        List<PartitionInfo> infos = IntStream.range(0, partitions).mapToObj(i ->
                new PartitionInfo("in", i, leader, new Node[] {BROKER}, new Node[] {BROKER})).toList();
        return new Cluster("test", List.of(BROKER), infos, Set.of(), Set.of());
    }

    private static TenantPartitioner partitioner(long seed, int size) {
        TenantPartitioner partitioner = new TenantPartitioner();
        partitioner.configure(Map.of(TenantPartitioner.SEED, seed, TenantPartitioner.SIZE, size));
        return partitioner;
    }

    private static Map<String, String> headers(ProducerRecord<byte[], byte[]> record) {
        Map<String, String> all = new HashMap<>();
        StreamSupport.stream(record.headers().spliterator(), false)
                .forEach(header -> all.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        return all;
    }
}
