package io.spillway.router.stage;

import io.spillway.core.item.Lane;

/** Names of the topology's sinks, as the stages address them when they forward a record. */
public final class SinkNames {
    /** Sink of the requests to the shard stage. */
    public static final String SHARD_REQUEST = "shard-request";

    private SinkNames() {}

    /** Returns the sink through which the route stage writes to a lane. */
    public static String ofRoute(Lane lane) {
        return lane.label();
    }

    /** Returns the sink through which the delay stage writes to a lane. Allocates nothing. */
    public static String ofDelay(Lane lane) {
        return switch (lane) {
            case HOT -> "due-hot";
            case OVERFLOW -> "due-overflow";
            case AGED -> "due-aged";
            case DELAY -> "due-delay";
            case DEAD_LETTER -> "due-dead-letter";
        };
    }
}
