package io.spillway.operator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.LaneFlow;
import io.spillway.kafka.view.Depths;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Last hour of this gateway's view of the queue: a point each {@value #STEP_SECONDS} s. It begins with the process and
 * ends with it. Bound: {@value #MAX_POINTS} points.
 *
 * <p>Owner of the points: this object, under its lock. Thread-safe.
 */
final class History {
    static final int STEP_SECONDS = 10;
    static final int MAX_POINTS = 360;

    private final Depths depths;
    private final Deque<Point> points = new ArrayDeque<>(MAX_POINTS);
    private LaneFlow flow;
    private long sinceMillis;
    private long lastMillis;

    History(Depths depths) {
        this.depths = depths;
    }

    /**
     * Moment of the last hour.
     *
     * @param waiting      items by lane, in the order of {@link ItemState#WAITING}
     * @param inPerSecond  items that came since the point before
     * @param outPerSecond items that left the waiting states since the point before
     * @param deadLettered dead letters that are neither replayed nor discarded
     */
    private record Point(
            long atMillis, long[] waiting, OptionalLong oldestMillis, double inPerSecond, double outPerSecond,
            long deadLettered) {}

    /** Returns whether a point is due. A clock that was set back makes one due. */
    synchronized boolean isDue(long nowMillis) {
        return flow == null || nowMillis < lastMillis || nowMillis - lastMillis >= STEP_SECONDS * 1_000L;
    }

    /** Returns whether items wait in a lane from which workers take them. */
    boolean isWaiting() {
        return Lane.WORKED.stream().anyMatch(lane -> depths.in(ItemState.of(lane)) > 0);
    }

    /**
     * Adds a point.
     *
     * @param oldestMillis time of entry of the oldest item that waits for a worker, epoch milliseconds; empty if none
     *                     waits or it is not known
     */
    synchronized void add(OptionalLong oldestMillis, long nowMillis) {
        long[] waiting = ItemState.WAITING.stream().mapToLong(lane -> Math.max(0, depths.in(lane))).toArray();
        // As in a balance: a replayed dead letter comes again.
        long came = depths.left(ItemState.OUTSIDE) + depths.left(ItemState.DEAD_LETTER);
        long went = came - Arrays.stream(waiting).sum();
        boolean isContinued = flow != null && nowMillis > lastMillis;
        if (isContinued) {
            double seconds = (nowMillis - lastMillis) / 1e3;
            if (points.size() == MAX_POINTS) {
                points.removeFirst();
            }
            points.addLast(new Point(
                    nowMillis, waiting, oldestMillis, Math.max(0, came - flow.entered()) / seconds,
                    Math.max(0, went - flow.left()) / seconds, Math.max(0, depths.in(ItemState.DEAD_LETTER))));
        } else {
            points.clear();
            sinceMillis = nowMillis;
        }
        flow = LaneFlow.startingAt(came, went, nowMillis);
        lastMillis = nowMillis;
    }

    synchronized ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("source", flow == null
                ? "this gateway, from now on" : "this gateway since " + QueueState.iso(sinceMillis));
        json.put("stepSeconds", STEP_SECONDS);
        ArrayNode array = json.putArray("points");
        points.forEach(point -> {
            ObjectNode node = array.addObject();
            node.put("at", QueueState.iso(point.atMillis()));
            int lane = 0;
            for (ItemState state : ItemState.WAITING) {
                node.put(state.label(), point.waiting()[lane++]);
            }
            node.put("oldestSeconds", point.oldestMillis().isEmpty() ? null
                    : (Double) (Math.max(0, point.atMillis() - point.oldestMillis().getAsLong()) / 1e3));
            node.put("inPerSecond", point.inPerSecond());
            node.put("outPerSecond", point.outPerSecond());
            node.put("deadLettered", point.deadLettered());
        });
        return json;
    }
}
