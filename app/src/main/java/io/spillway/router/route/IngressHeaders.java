package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Headers;

/** Headers of records of one partition of ingress, which get their position there as their origin. */
final class IngressHeaders implements LaneHeaders {
    private final Origin first;
    private final byte[] originPrefix;

    /** Creates the headers of a partition from its first position. */
    IngressHeaders(Origin first) {
        this.first = first;
        this.originPrefix = ascii(first.topic() + "-" + first.partition() + "-");
    }

    @Override
    public void toLane(Headers headers, Route.ToLane to, Decision decision, long offset, long nowMillis) {
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        decision.correctEnqueuedAt(headers);
        headers.add(ItemHeaders.ORIGIN, origin(offset));
        // A new item in hot needs no reason; one more header costs a tenth of the throughput.
        if (to.reason() != LaneReason.FRESH) {
            headers.add(REASONS.get(to.reason()));
        }
        if (to.lane() == Lane.DELAY) {
            headers.add(ItemHeaders.DUE, to.reason() == LaneReason.SCHEDULED
                    ? headers.lastHeader(ItemHeaders.DELIVER_AT).value() : ascii(Long.toString(nowMillis)));
        }
    }

    @Override
    public Origin toDeadLetter(Headers headers, Decision decision, long offset) {
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        return first.at(offset);
    }

    /** Sets the headers of a record that the dead-letter lane does not take now: it is due in the delay lane. */
    void toDelay(Headers headers, long offset, long nowMillis) {
        ItemHeaders.removeInternal(headers);
        headers.add(ItemHeaders.ORIGIN, origin(offset)).add(REASONS.get(LaneReason.LATER))
                .add(ItemHeaders.DUE, ascii(Long.toString(nowMillis)));
    }

    /** Returns the origin as text; a million are made a second. */
    private byte[] origin(long offset) {
        int digits = 1;
        for (long rest = offset / 10; rest > 0; rest /= 10) {
            digits++;
        }
        byte[] bytes = new byte[originPrefix.length + digits];
        System.arraycopy(originPrefix, 0, bytes, 0, originPrefix.length);
        long rest = offset;
        for (int i = bytes.length - 1; i >= originPrefix.length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return bytes;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
