package io.spillway.router.route;

import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Changes of an item's headers when it leaves a stage, by its offset in the partition that the task reads. */
public interface LaneHeaders {
    /** Headers that state why an item is in its lane. */
    Map<LaneReason, Header> REASONS = reasons();

    /** Sets the headers of a record on its way to a lane other than dead-letter. */
    void toLane(Headers headers, Route.ToLane to, Decision decision, long offset, long nowMillis);

    /** Removes the headers that a dead letter or a finished item must not have, and returns the item's origin. */
    Origin toDeadLetter(Headers headers, Decision decision, long offset);

    private static Map<LaneReason, Header> reasons() {
        Map<LaneReason, Header> headers = new EnumMap<>(LaneReason.class);
        for (LaneReason reason : LaneReason.values()) {
            headers.put(reason, new RecordHeader(
                    ItemHeaders.LANE_REASON, reason.label().getBytes(StandardCharsets.ISO_8859_1)));
        }
        return headers;
    }
}
