package io.spillway.worker;

import io.spillway.handler.Delivery;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Delivery of an item that was read from a lane. The routing fields are known already; the rest is decoded when a
 * handler first asks for it. Safe for any number of threads.
 */
final class LaneDelivery implements Delivery {
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final byte[] NO_KEY = {};

    private final LaneItem item;
    private final Lease lease;
    /** Threads that ask at the same time may each decode it, with equal results. */
    private volatile ItemDetails details;

    /**
     * Makes the delivery of an item's next attempt.
     *
     * @param item  not null
     * @param lease of this attempt, not null
     */
    LaneDelivery(LaneItem item, Lease lease) {
        this.item = item;
        this.lease = lease;
    }

    private ItemDetails details() {
        ItemDetails known = details;
        if (known == null) {
            known = DECODER.decode(item.read(), value(), item.record().headers(), item.origin());
            details = known;
        }
        return known;
    }

    @Override
    public String tenant() {
        return item.tenant();
    }

    @Override
    public String id() {
        ItemDetails known = details;
        return known == null ? DECODER.id(item.read(), value(), item.record().headers(), item.origin()) : known.id();
    }

    @Override
    public String workload() {
        return item.read().workload();
    }

    @Override
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(item.enqueuedAtMillis());
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
    public byte[] value() {
        return item.record().value();
    }

    @Override
    public List<Header> headers() {
        List<Header> headers = new ArrayList<>();
        for (org.apache.kafka.common.header.Header header : item.record().headers()) {
            headers.add(new Header(header.key(), header.value()));
        }
        return List.copyOf(headers);
    }

    @Override
    public Lease lease() {
        return lease;
    }
}
