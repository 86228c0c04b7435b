package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.campaign.MendedKafka.Ends;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Supplier;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.common.KRaftVersion;
import org.junit.jupiter.api.Test;

class MendedKafkaTest {
    private static final ListenerName LISTENER = new ListenerName("INTERNAL");
    private static final TopicPartition PARTITION = new TopicPartition("__transaction_state", 5);

    @Test
    void a_partition_without_a_leader_is_not_taken_for_deleted() throws Exception {
        MetadataCache mended = withLeaderlessPartition(new Mended(MendedKafka.cache()).findClass(MendedKafka.CACHE));

        assertThat(mended.getPartitionLeaderEndpoint("t", 0, LISTENER)).contains(Node.noNode());
        assertThat(mended.getPartitionLeaderEndpoint("t", 1, LISTENER)).isEmpty();
        assertThat(mended.getPartitionLeaderEndpoint("other", 0, LISTENER)).isEmpty();
    }

    @Test
    void kafka_still_needs_the_mend() throws Exception {
        MetadataCache released = withLeaderlessPartition(KRaftMetadataCache.class);

        assertThat(released.getPartitionLeaderEndpoint("t", 0, LISTENER))
                .as("Kafka has mended KAFKA-20734: remove MendedKafka")
                .isEmpty();
    }

    @Test
    void a_coordinator_loads_transactions_only_when_other_replicas_have_them() throws Exception {
        Queue<Optional<Ends>> answers = new ArrayDeque<>(List.of(
                Optional.of(new Ends(82, 80)), Optional.of(new Ends(83, 81)), Optional.of(new Ends(83, 82))));

        MendedKafka.awaitReplicas(PARTITION, answers::remove);

        assertThat(answers).isEmpty();
    }

    @Test
    void a_coordinator_that_leads_no_more_does_not_wait() throws Exception {
        Queue<Optional<Ends>> answers = new ArrayDeque<>(List.of(Optional.of(new Ends(82, 81)), Optional.empty()));

        MendedKafka.awaitReplicas(PARTITION, answers::remove);

        assertThat(answers).isEmpty();
        MendedKafka.awaitReplicas(PARTITION, Optional::empty);
    }

    @Test
    void the_mended_manager_asks_for_the_replicas_before_it_reads() throws Exception {
        Class<?> mended = new Mended(MendedKafka.transactions()).findClass(MendedKafka.TRANSACTIONS);
        Method load = mended.getDeclaredMethod("loadTransactionMetadata", TopicPartition.class, int.class);
        load.setAccessible(true);
        Object manager = instance(mended);

        // Without a replica manager, whoever asks it first fails.
        assertThatThrownBy(() -> load.invoke(manager, PARTITION, 0))
                .cause()
                .isInstanceOf(NullPointerException.class)
                .extracting(e -> e.getStackTrace()[0].getClassName())
                .asString()
                .startsWith(MendedKafka.class.getName());
    }

    private static Object instance(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getConstructors()[0];
        return constructor.newInstance(0, null, null, null, null, Time.SYSTEM, new Metrics());
    }

    /** Defines a mended class beside the released one, which this JVM may have loaded. */
    private static final class Mended extends ClassLoader {
        private final byte[] mended;

        Mended(byte[] mended) {
            super(KRaftMetadataCache.class.getClassLoader());
            this.mended = mended;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, mended, 0, mended.length);
        }
    }

    private static MetadataCache withLeaderlessPartition(Class<?> type) throws ReflectiveOperationException {
        Uuid topic = Uuid.randomUuid();
        MetadataDelta delta = new MetadataDelta.Builder().setImage(MetadataImage.EMPTY).build();
        delta.replay(new TopicRecord().setName("t").setTopicId(topic));
        delta.replay(new PartitionRecord()
                .setTopicId(topic).setPartitionId(0).setReplicas(List.of(1)).setIsr(List.of(1))
                .setDirectories(List.of(Uuid.randomUuid())).setLeader(-1));
        Supplier<KRaftVersion> version = () -> KRaftVersion.LATEST_PRODUCTION;
        Object cache = type.getConstructor(int.class, Supplier.class).newInstance(1, version);
        type.getMethod("setImage", MetadataImage.class).invoke(cache, delta.apply(MetadataProvenance.EMPTY));
        return (MetadataCache) cache;
    }
}
