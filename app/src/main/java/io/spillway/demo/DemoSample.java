package io.spillway.demo;

import io.spillway.core.item.ItemState;
import java.util.Map;

/**
 * How things stand at a moment of the demo.
 *
 * @param elapsedMillis   since the first item was to be sent
 * @param places          items in each place, by the books, which are about a second old
 * @param accepted        items that the router has routed, by the books
 * @param fifoWaiting     items that the FIFO queue's consumer has not begun
 * @param quietP99Millis  of the quiet items begun since the sample before; -1 when there were none
 * @param fifoP99Millis   as that, of the FIFO queue
 * @param noisySent       items of the noisy tenant so far
 * @param noisyDone       of them through Spillway
 * @param fifoNoisyDone   of them through the FIFO queue
 * @param slowRunning     handlers that work for the slow tenant
 * @param fifoSlowRunning as that, behind the FIFO queue
 */
record DemoSample(
        long elapsedMillis,
        Map<ItemState, Long> places,
        long accepted,
        long fifoWaiting,
        long quietP99Millis,
        long fifoP99Millis,
        long noisySent,
        long noisyDone,
        long fifoNoisyDone,
        int slowRunning,
        int fifoSlowRunning) {
    DemoSample {
        places = Map.copyOf(places);
    }

    long in(ItemState place) {
        return places.getOrDefault(place, 0L);
    }

    long waiting() {
        return ItemState.WAITING.stream().mapToLong(this::in).sum();
    }
}
