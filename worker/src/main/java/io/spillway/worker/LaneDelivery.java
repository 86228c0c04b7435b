package io.spillway.worker;

import io.spillway.handler.Delivery;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.tracing.AttemptSpan;
import io.spillway.tracing.TraceHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Delivery of an item from a lane. Fields beyond the routing fields are decoded when a handler first reads one.
 * Thread-safe.
 */
final class LaneDelivery implements Delivery {
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final byte[] NO_KEY = {};

    private final LaneItem item;
    private final Lease lease;
    private final AttemptSpan span;
    /** Concurrent readers may each decode it, with equal results. */
    private volatile ItemDetails details;

    /** @param span carries the trace to what the handler calls */
    LaneDelivery(LaneItem item, Lease lease, AttemptSpan span) {
        this.item = item;
        this.lease = lease;
        this.span = span;
    }

    private ItemDetails details() {
        ItemDetails decoded = details;
        if (decoded == null) {
            decoded = DECODER.decode(item.read(), value(), item.record().headers(), item.origin());
            details = decoded;
        }
        return decoded;
    }

    @Override
    public String tenant() {
        return item.tenant();
    }

    @Override
    public String id() {
        ItemDetails decoded = details;
        return decoded != null ? decoded.id() : item.id();
    }

    @Override
    public String workload() {
        return item.read().workload();
    }

    @Override
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(item.times().enqueuedAtMillis());
    }

    @Override
    public int attempt() {
        return item.attempts() + 1;
    }

    @Override
    public String lane() {
        return item.lane().label();
    }

    @Override
    public String channel() {
        return details().channel();
    }

    @Override
    public String contentType() {
        return details().contentType();
    }

    @Override
    public Map<String, String> attributes() {
        return details().attributes();
    }

    @Override
    public byte[] payload() {
        return details().payload();
    }

    @Override
    public byte[] key() {
        byte[] key = item.record().key();
        return key == null ? NO_KEY : key;
    }

    @Override
    public boolean hasKey() {
        return item.record().key() != null;
    }

    @Override
    public byte[] value() {
        return item.record().value();
    }

    @Override
    public List<Header> headers() {
        Map<String, String> trace = span.headers();
        Stream<Header> stored = Arrays.stream(item.record().headers().toArray())
                .map(header -> new Header(header.key(), header.value()));
        return trace.isEmpty() ? stored.toList()
                : Stream.concat(stored.filter(header -> !TraceHeaders.isOne(header.name())), headersOf(trace)).toList();
    }

    private static Stream<Header> headersOf(Map<String, String> texts) {
        return texts.entrySet().stream()
                .map(each -> new Header(each.getKey(), each.getValue().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public String position() {
        return item.record().topic() + "-" + item.record().partition() + "-" + item.record().offset() + "@"
                + item.owned().assignment;
    }

    @Override
    public Lease lease() {
        return lease;
    }
}
