package io.spillway.demo;

import io.spillway.core.item.ItemState;
import java.util.Map;

/**
 * State of the demo at one time.
 *
 * @param elapsedMillis   since the first item was due to be sent
 * @param states          items in each state according to the ledger, about a second old
 * @param accepted        items that the router has routed, according to the ledger
 * @param fifoWaiting     items that the FIFO queue has not started
 * @param quietP99Millis  99th percentile of the quiet items started since the previous sample; -1 if there were none
 * @param noisySent       items of the noisy tenant so far
 * @param slowRunning     handlers that run for the slow tenant
 */
record DemoSample(
        long elapsedMillis, Map<ItemState, Long> states, long accepted, long fifoWaiting, long quietP99Millis,
        long fifoP99Millis, long noisySent, long noisyDone, long fifoNoisyDone, int slowRunning, int fifoSlowRunning) {
    DemoSample {
        states = Map.copyOf(states);
    }

    long in(ItemState state) {
        return states.getOrDefault(state, 0L);
    }

    long waiting() {
        return ItemState.WAITING.stream().mapToLong(this::in).sum();
    }
}
