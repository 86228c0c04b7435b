package io.spillway.router.stage;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import java.util.Arrays;

/** Stage that moves items to the lanes, with its names in dead letters and in the topology. */
public enum LaneStage {
    ROUTE("router", ItemState.OUTSIDE, ""),
    DELAY("delay", ItemState.DELAY, "due-");

    /** Name of the sinks of delay, whose items are paused. The source of the delay stage has the name of the lane. */
    private static final String TO_DELAY = "paused";

    private final String label;
    private final ItemState from;
    private final String[] sinks;
    private final String trailSink;

    LaneStage(String label, ItemState from, String sinkPrefix) {
        this.label = label;
        this.from = from;
        this.sinks = Arrays.stream(Lane.values())
                .map(lane -> sinkPrefix + (lane == Lane.DELAY ? TO_DELAY : lane.label())).toArray(String[]::new);
        this.trailSink = sinkPrefix + "trail";
    }

    /** Returns the name of the stage in the headers of its dead letters. */
    public String label() {
        return label;
    }

    /** Returns the state of an item before this stage moves it. */
    public ItemState from() {
        return from;
    }

    /** Returns the sink through which this stage writes to the trail. */
    public String trailSink() {
        return trailSink;
    }

    /** Returns the sink through which this stage writes to a lane. Allocates nothing. */
    public String sink(Lane lane) {
        return sinks[lane.ordinal()];
    }
}
