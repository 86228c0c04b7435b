package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import io.spillway.kafka.codec.RecordCodec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * Codec of shard assignments in their topic and in the router's store. Decoding throws {@link IllegalArgumentException}
 * for invalid bytes.
 */
public final class ShardAssignmentCodec {
    private final RecordCodec<io.spillway.schema.ShardAssignment> codec =
            new RecordCodec<>(new io.spillway.schema.ShardAssignment());

    /** Returns the encoded assignment of a tenant. */
    public byte[] encode(String tenant, ShardAssignment assignment) {
        List<Integer> slots = assignment.shard()
                .map(shard -> Arrays.stream(shard.toArray()).boxed().toList())
                .orElse(List.of());
        return codec.encode(new io.spillway.schema.ShardAssignment(tenant, assignment.asked(), slots));
    }

    /** Returns the decoded assignment. */
    public ShardAssignment decode(byte[] bytes) {
        GenericRecord record = codec.decode(bytes);
        int[] slots = ((List<?>) record.get("slots")).stream().mapToInt(slot -> (Integer) slot).toArray();
        return new ShardAssignment(
                (Integer) record.get("asked"), slots.length == 0 ? Optional.empty() : Optional.of(Shard.of(slots)));
    }
}
