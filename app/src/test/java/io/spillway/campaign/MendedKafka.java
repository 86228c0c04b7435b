package io.spillway.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import kafka.coordinator.transaction.TransactionMarkerRequestCompletionHandler;
import kafka.server.ReplicaManager;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.OptionConverters;

/**
 * Mends two defects of Kafka 4.3.1 and 4.4.0 in the brokers of a campaign:
 *
 * <ul>
 *   <li>KAFKA-20734: asked for the leader of a partition that has none, the metadata cache answers as if there were no
 *       such partition. The transaction coordinator then takes the partition for deleted, and completes a transaction
 *       without writing its marker there.
 *   <li>A new transaction coordinator reads its log to the end, which other replicas may not have, and sends the
 *       markers of what it finds there. If it loses the leadership before they have it, its successor decides
 *       otherwise, and the transaction is committed in some partitions and aborted in others.
 * </ul>
 */
public final class MendedKafka {
    /** The classes with the defects. By name, because a class that is loaded cannot be defined any more. */
    static final String CACHE = "org.apache.kafka.metadata.KRaftMetadataCache";
    static final String TRANSACTIONS = "kafka.coordinator.transaction.TransactionStateManager";

    private static final Logger LOG = LoggerFactory.getLogger(MendedKafka.class);
    private static final String SELF = MendedKafka.class.getName().replace('.', '/');
    private static final int API = Opcodes.ASM9;
    private static final int PAUSE_MILLIS = 10;

    private static volatile boolean stops;

    private MendedKafka() {}

    /** Defines the mended classes in this JVM. It must not have used them before. */
    static void mend() throws IllegalAccessException {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandles.privateLookupIn(LeaderAndIsr.class, lookup).defineClass(cache());
        MethodHandles.privateLookupIn(TransactionMarkerRequestCompletionHandler.class, lookup)
                .defineClass(transactions());
        // Kafka waits without a limit for a load that is under way.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stops = true, "mend-stop"));
    }

    /** Returns the mended cache: the answer of its method passes through {@link #answer}. */
    static byte[] cache() {
        return mended(CACHE, "getPartitionLeaderEndpoint", Answers::new);
    }

    /** Returns the mended manager: before it reads a log it calls {@link #awaitReplicas}. */
    static byte[] transactions() {
        return mended(TRANSACTIONS, "loadTransactionMetadata", Loads::new);
    }

    private static byte[] mended(String type, String changed, UnaryOperator<MethodVisitor> change) {
        ClassReader released = new ClassReader(released(type));
        ClassWriter mended = new ClassWriter(released, ClassWriter.COMPUTE_MAXS);
        released.accept(new ClassVisitor(API, mended) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] errors) {
                MethodVisitor method = super.visitMethod(access, name, type, generic, errors);
                return name.equals(changed) ? change.apply(method) : method;
            }
        }, 0);
        return mended.toByteArray();
    }

    private static byte[] released(String type) {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(type.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Answers extends MethodVisitor {
        Answers(MethodVisitor method) {
            super(API, method);
        }

        @Override
        public void visitInsn(int instruction) {
            if (instruction == Opcodes.ARETURN) {
                visitVarInsn(Opcodes.ALOAD, 0);
                visitVarInsn(Opcodes.ALOAD, 1);
                visitVarInsn(Opcodes.ILOAD, 2);
                visitMethodInsn(Opcodes.INVOKESTATIC, SELF, "answer",
                        "(Ljava/util/Optional;Lorg/apache/kafka/metadata/MetadataCache;Ljava/lang/String;I)"
                                + "Ljava/util/Optional;", false);
            }
            super.visitInsn(instruction);
        }
    }

    private static final class Loads extends MethodVisitor {
        Loads(MethodVisitor method) {
            super(API, method);
        }

        @Override
        public void visitCode() {
            super.visitCode();
            visitVarInsn(Opcodes.ALOAD, 0);
            visitFieldInsn(Opcodes.GETFIELD, TRANSACTIONS.replace('.', '/'), "replicaManager",
                    "Lkafka/server/ReplicaManager;");
            visitVarInsn(Opcodes.ALOAD, 1);
            visitMethodInsn(Opcodes.INVOKESTATIC, SELF, "awaitReplicas",
                    "(Lkafka/server/ReplicaManager;Lorg/apache/kafka/common/TopicPartition;)V", false);
        }
    }

    /** Returns the leader, or no node for a partition that exists: then the coordinator tries again. */
    public static Optional<Node> answer(Optional<Node> leader, MetadataCache cache, String topic, int partition) {
        return leader.isEmpty() && cache.contains(new TopicPartition(topic, partition))
                ? Optional.of(Node.noNode())
                : leader;
    }

    /** Where the log of a leader ends, and up to where the replicas in sync have it. */
    record Ends(long endOffset, long highWatermark) {}

    /** Returns when the replicas in sync have what this leader's log has now, or when it leads no more. */
    public static void awaitReplicas(ReplicaManager replicas, TopicPartition partition) throws InterruptedException {
        awaitReplicas(partition, () -> OptionConverters.toJava(replicas.onlinePartition(partition))
                .flatMap(online -> OptionConverters.toJava(online.leaderLogIfLocal()))
                .map(log -> new Ends(log.logEndOffset(), log.highWatermark())));
    }

    static void awaitReplicas(TopicPartition partition, Supplier<Optional<Ends>> leader) throws InterruptedException {
        Optional<Ends> now = leader.get();
        long endOffset = now.map(Ends::endOffset).orElse(0L);
        boolean waited = false;
        while (now.filter(ends -> ends.highWatermark() < endOffset).isPresent()) {
            if (stops) {
                throw new IllegalStateException("The broker stops before other replicas have " + partition
                        + " up to offset " + endOffset);
            }
            Thread.sleep(PAUSE_MILLIS);
            waited = true;
            now = leader.get();
        }
        if (waited) {
            LOG.warn("Replicas of {} were behind offset {} when its transactions were to be loaded",
                    partition, endOffset);
        }
    }
}
