package io.spillway.router.delay;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.router.route.Decision;
import io.spillway.router.route.LaneHeaders;
import java.util.Set;
import org.apache.kafka.common.header.Headers;

/**
 * Headers of items that leave the delay stage.
 *
 * @param first first position of the partition, for an item without an origin
 */
record DueHeaders(Origin first) implements LaneHeaders {
    private static final Set<String> MEASURED_FROM_DUE =
            Set.of(LaneReason.LATER.label(), LaneReason.SCHEDULED.label(), LaneReason.ORDER.label());

    @Override
    public void toLane(Headers headers, Route.ToLane to, Decision decision, long offset, long nowMillis) {
        // An item that its handler or producer put off keeps it: the worker measures from then how long it waits. So
        // does one that is paused at this moment, and one that has waited for its turn.
        boolean isMeasuredFromDue =
                ItemHeaders.text(headers, ItemHeaders.LANE_REASON).filter(MEASURED_FROM_DUE::contains).isPresent();
        if (to.lane() != Lane.DELAY) {
            if (!isMeasuredFromDue) {
                headers.remove(ItemHeaders.DUE);
            }
        } else if (headers.lastHeader(ItemHeaders.DUE) == null) {
            ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(nowMillis));
        }
        headers.remove(ItemHeaders.LANE_REASON);
        decision.correctEnqueuedAt(headers);
        // As in ingress: an item that was only in turn is fresh.
        if (to.reason() != LaneReason.FRESH) {
            headers.add(REASONS.get(to.reason()));
        }
    }

    @Override
    public Origin toDeadLetter(Headers headers, Decision decision, long offset) {
        Origin origin = Origin.of(headers).orElseGet(() -> first.at(offset));
        ItemHeaders.removeDeadLetter(headers);
        headers.remove(ItemHeaders.GRANTED_BY);
        return origin;
    }
}
