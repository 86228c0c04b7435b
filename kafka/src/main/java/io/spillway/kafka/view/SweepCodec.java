package io.spillway.kafka.view;

import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.SweepMark;
import java.time.Instant;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/** Codec of sweeps in their topic. Decoding throws {@link IllegalArgumentException} for invalid bytes. */
public final class SweepCodec {
    private final RecordCodec<SweepMark> codec = new RecordCodec<>(new SweepMark());

    /** Returns the encoded mark of a completed sweep of a tenant, or of all with {@code *}. */
    public byte[] encode(String tenant, String sweepId, Sweep sweep) {
        return codec.encode(new SweepMark(tenant, sweepId, Instant.ofEpochMilli(sweep.startedAtMillis()),
                Instant.ofEpochMilli(sweep.completedAtMillis())));
    }

    /** Returns the decoded sweep; empty while it runs. */
    public Optional<Sweep> decode(byte[] bytes) {
        GenericRecord mark = codec.decode(bytes);
        return mark.get("completedAt") == null
                ? Optional.empty()
                : Optional.of(new Sweep((Long) mark.get("startedAt"), (Long) mark.get("completedAt")));
    }
}
