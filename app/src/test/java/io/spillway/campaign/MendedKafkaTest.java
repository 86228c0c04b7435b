package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.metadata.KRaftMetadataCache;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.common.KRaftVersion;
import org.junit.jupiter.api.Test;

class MendedKafkaTest {
    private static final ListenerName LISTENER = new ListenerName("INTERNAL");

    @Test
    void a_partition_without_a_leader_is_not_taken_for_deleted() throws Exception {
        MetadataCache mended = withLeaderlessPartition(new Mended().findClass(MendedKafka.CACHE));

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

    /** Defines the mended class beside the released one, which this JVM may have loaded. */
    private static final class Mended extends ClassLoader {
        Mended() {
            super(KRaftMetadataCache.class.getClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) {
            byte[] mended = MendedKafka.cache();
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
