package io.spillway.kafka.view;

import io.spillway.core.sharding.PolynomialShards;
import io.spillway.kafka.codec.RecordCodec;
import org.apache.avro.generic.GenericRecord;

/**
 * Answer of the shard stage for one tenant, a value of the topic of shards and of the router's store.
 *
 * @param number 0 or more, or {@link PolynomialShards#NONE} if none was free
 */
public record ShardAssignment(long number) {
    private static final RecordCodec<io.spillway.schema.ShardAssignment> CODEC =
            new RecordCodec<>(new io.spillway.schema.ShardAssignment());

    public ShardAssignment {
        if (number < PolynomialShards.NONE) {
            throw new IllegalArgumentException("invalid number " + number + ": must be 0 or more");
        }
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded assignment */
    public static ShardAssignment decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        return new ShardAssignment(record.get("number") instanceof Long number ? number : PolynomialShards.NONE);
    }

    /** Returns the encoded assignment of a tenant. */
    public byte[] encode(String tenant) {
        return CODEC.encode(new io.spillway.schema.ShardAssignment(
                tenant, number == PolynomialShards.NONE ? null : number));
    }
}
