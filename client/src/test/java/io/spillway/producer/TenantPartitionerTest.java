package io.spillway.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.sharding.ShuffleSharder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TenantPartitionerTest {
    private static final Node BROKER = new Node(1, "localhost", 1);

    @ParameterizedTest(name = "{0} partitions, {2} a tenant, seed {1}")
    @CsvSource({"12, 0, 4", "64, 42, 2", "3, -1, 4", "1, 0, 4", "2048, 7, 256"})
    void items_of_a_tenant_are_spread_over_exactly_the_shard_of_the_router(int partitions, long seed, int size) {
        TenantPartitioner partitioner = partitioner(Map.of(TenantPartitioner.SEED, seed, TenantPartitioner.SIZE, size));
        Cluster cluster = cluster(partitions, Set.of());
        for (String tenant : List.of("acme", "a", "tenant-1000")) {
            Set<Integer> used = new TreeSet<>();
            for (int i = 0; i < 64 * Math.min(size, partitions); i++) {
                used.add(partition(partitioner, tenant, cluster));
            }
            int[] shard = new ShuffleSharder(partitions, seed).shard(tenant, Math.min(size, partitions));
            assertThat(used).isEqualTo(Arrays.stream(shard).boxed().collect(Collectors.toSet()));
        }
    }

    @Test
    void a_shard_that_is_known_precedes_the_computed_one() {
        TenantPartitioner.Shards known = (tenant, partitions, into) -> {
            into[0] = partitions - 1;
            return tenant.equals("acme") ? 1 : 0;
        };
        TenantPartitioner partitioner = partitioner(Map.of(TenantPartitioner.SHARDS, known));
        assertThat(partition(partitioner, "acme", cluster(12, Set.of()))).isEqualTo(11);
        assertThat(partition(partitioner, "other", cluster(12, Set.of())))
                .isEqualTo(partition(partitioner(Map.of()), "other", cluster(12, Set.of())));
    }

    @Test
    void consecutive_records_go_to_one_partition() {
        TenantPartitioner partitioner = partitioner(Map.of());
        Set<Integer> used = new TreeSet<>();
        for (int i = 0; i < 64; i++) {
            used.add(partition(partitioner, "acme", cluster(12, Set.of())));
        }
        assertThat(used).hasSize(1);
    }

    @Test
    void a_partition_without_a_leader_is_skipped_unless_the_whole_shard_has_none() {
        int[] shard = new ShuffleSharder(12, 0).shard("acme", 4);
        Set<Integer> down = Set.of(shard[0], shard[2]);
        TenantPartitioner partitioner = partitioner(Map.of());
        for (int i = 0; i < 1_000; i++) {
            assertThat(partition(partitioner, "acme", cluster(12, down))).isIn(shard[1], shard[3]);
        }
        Set<Integer> whole = Arrays.stream(shard).boxed().collect(Collectors.toSet());
        assertThat(partition(partitioner, "acme", cluster(12, whole)))
                .isIn(Arrays.stream(shard).boxed().toArray());
    }

    @Test
    void records_without_a_tenant_are_spread_over_all_partitions() {
        TenantPartitioner partitioner = partitioner(Map.of());
        Set<Integer> used = new TreeSet<>();
        for (int i = 0; i < 64 * 12; i++) {
            used.add(partitioner.partition("ingress", null, null, null, null, cluster(12, Set.of())));
        }
        assertThat(used).hasSize(12);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "257", "four", ""})
    void an_invalid_setting_is_rejected_with_its_name_and_range(String size) {
        assertThatThrownBy(() -> partitioner(Map.of(TenantPartitioner.SIZE, size)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("spillway.shards.size").hasMessageContaining("1 to 256");
    }

    @Test
    void a_producer_creates_the_partitioner_by_class_name() {
        try (var producer = new KafkaProducer<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1",
                ProducerConfig.PARTITIONER_CLASS_CONFIG, "io.spillway.producer.TenantPartitioner",
                TenantPartitioner.SEED, "5"), new ByteArraySerializer(), new ByteArraySerializer())) {
            assertThat(producer.metrics()).isNotEmpty();
        }
    }

    private static int partition(TenantPartitioner partitioner, String tenant, Cluster cluster) {
        byte[] key = tenant.getBytes(StandardCharsets.UTF_8);
        return partitioner.partition("ingress", key, key, null, null, cluster);
    }

    private static TenantPartitioner partitioner(Map<String, ?> settings) {
        TenantPartitioner partitioner = new TenantPartitioner();
        partitioner.configure(settings);
        return partitioner;
    }

    private static Cluster cluster(int partitions, Set<Integer> withoutLeader) {
        List<PartitionInfo> infos = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            Node leader = withoutLeader.contains(i) ? null : BROKER;
            infos.add(new PartitionInfo("ingress", i, leader, new Node[] {BROKER}, new Node[] {BROKER}));
        }
        return new Cluster("test", List.of(BROKER), infos, Set.of(), Set.of());
    }
}
