package io.spillway.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.util.Optional;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.MetadataCache;

/**
 * Mends KAFKA-20734 of Kafka 4.3.0 and 4.3.1 in the brokers of a campaign: asked for the leader of a partition that has
 * none, the metadata cache answers as if there were no such partition. The transaction coordinator then takes the
 * partition for deleted, and completes a transaction without writing its marker there.
 */
public final class MendedKafka {
    /** The class with the defect. By name, because a class that is loaded cannot be defined any more. */
    static final String CACHE = "org.apache.kafka.metadata.KRaftMetadataCache";

    private static final int API = Opcodes.ASM9;

    private MendedKafka() {}

    /** Defines the mended class in this JVM. It must not have used the class before. */
    static void mend() throws IllegalAccessException {
        MethodHandles.privateLookupIn(LeaderAndIsr.class, MethodHandles.lookup()).defineClass(cache());
    }

    /** Returns the mended class: the answer of its method passes through {@link #answer}. */
    static byte[] cache() {
        ClassReader released = new ClassReader(released());
        ClassWriter mended = new ClassWriter(released, ClassWriter.COMPUTE_MAXS);
        released.accept(new ClassVisitor(API, mended) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] errors) {
                MethodVisitor method = super.visitMethod(access, name, type, generic, errors);
                return name.equals("getPartitionLeaderEndpoint") ? new Answers(method) : method;
            }
        }, 0);
        return mended.toByteArray();
    }

    private static byte[] released() {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(CACHE.replace('.', '/') + ".class")) {
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
                visitMethodInsn(Opcodes.INVOKESTATIC, "io/spillway/campaign/MendedKafka", "answer",
                        "(Ljava/util/Optional;Lorg/apache/kafka/metadata/MetadataCache;Ljava/lang/String;I)"
                                + "Ljava/util/Optional;", false);
            }
            super.visitInsn(instruction);
        }
    }

    /** Returns the leader, or no node for a partition that exists: then the coordinator tries again. */
    public static Optional<Node> answer(Optional<Node> leader, MetadataCache cache, String topic, int partition) {
        return leader.isEmpty() && cache.contains(new TopicPartition(topic, partition))
                ? Optional.of(Node.noNode())
                : leader;
    }
}
