package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import io.spillway.kafka.codec.RecordCodec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * Answer of the shard registry for one tenant, a value of the topic of shards and of the router's store.
 *
 * @param asked number of slots requested, 1 or more
 * @param shard the assigned shard; empty if no shard of that size was available
 */
public record ShardAssignment(int asked, Optional<Shard> shard) {
    private static final RecordCodec<io.spillway.schema.ShardAssignment> CODEC =
            new RecordCodec<>(new io.spillway.schema.ShardAssignment());

    public ShardAssignment {
        if (asked < 1) {
            throw new IllegalArgumentException("invalid request for " + asked + " slots: must be 1 or more");
        }
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded assignment */
    public static ShardAssignment decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        int[] slots = ((List<?>) record.get("slots")).stream().mapToInt(slot -> (Integer) slot).toArray();
        return new ShardAssignment(
                (Integer) record.get("asked"), slots.length == 0 ? Optional.empty() : Optional.of(Shard.of(slots)));
    }

    /** Returns the encoded assignment of a tenant. */
    public byte[] encode(String tenant) {
        int[] slots = shard.map(Shard::toArray).orElse(new int[0]);
        return CODEC.encode(new io.spillway.schema.ShardAssignment(
                tenant, asked, Arrays.stream(slots).boxed().toList()));
    }

    /** Returns whether the tenant has the requested number of slots. */
    public boolean isMet() {
        return shard.isPresent() && shard.get().size() == asked;
    }

    /** @throws IllegalArgumentException if the shard has a slot that does not exist */
    void requireSlots(int slots) {
        shard.map(assigned -> assigned.slot(assigned.size() - 1)).filter(last -> last >= slots).ifPresent(last -> {
            throw new IllegalArgumentException("slot " + last + " does not exist: there are " + slots + " slots");
        });
    }
}
