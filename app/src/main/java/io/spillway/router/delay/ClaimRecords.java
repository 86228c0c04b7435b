package io.spillway.router.delay;

import io.spillway.core.item.LaneReason;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.TrailCodec;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;

/** Records about claimed items, and those items when their claims are over. */
final class ClaimRecords {
    private ClaimRecords() {}

    /** Returns the record that ends a claim when it is read, if its item still waits for this time. */
    static Record<byte[], byte[]> expiry(DelayRecord item, long dueMillis) {
        Headers headers = new RecordHeaders();
        for (String name : new String[] {ItemHeaders.CLAIM, ItemHeaders.ORIGIN}) {
            headers.add(item.record().headers().lastHeader(name));
        }
        ItemHeaders.set(headers, ItemHeaders.CLAIM_RESULT, ClaimResult.EXPIRED.label());
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        return new Record<>(null, null, item.record().timestamp(), headers);
    }

    /** Returns a claimed item that is done, with what the notice says of its attempt. */
    static Record<byte[], byte[]> done(DelayRecord notice, DelayRecord item) {
        Headers headers = item.record().headers();
        for (String name : TrailCodec.ATTEMPTED) {
            if (headers.lastHeader(name) == null) {
                Optional.ofNullable(notice.record().headers().lastHeader(name)).ifPresent(headers::add);
            }
        }
        return item.record();
    }

    /** Returns a claimed item with the headers of the notice that ends the claim. */
    static DelayRecord with(DelayRecord notice, DelayRecord item) {
        Headers headers = new RecordHeaders(notice.record().headers());
        headers.remove(ItemHeaders.CLAIM).remove(ItemHeaders.CLAIM_RESULT);
        return DelayRecord.of(item.record().withHeaders(headers), notice.offset());
    }

    /**
     * Returns a claimed item for another attempt now.
     *
     * @param isLost whether its worker was lost
     */
    static DelayRecord free(DelayRecord item, boolean isLost, long nowMillis) {
        Headers headers = new RecordHeaders(item.record().headers());
        headers.remove(ItemHeaders.CLAIM);
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(nowMillis));
        ItemHeaders.set(headers, ItemHeaders.LANE_REASON, (isLost ? LaneReason.LOST : LaneReason.DUE).label());
        if (isLost) {
            ItemHeaders.addLoss(headers);
        }
        return DelayRecord.of(item.record().withHeaders(headers), item.offset());
    }
}
