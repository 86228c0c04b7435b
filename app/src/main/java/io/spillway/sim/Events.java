package io.spillway.sim;

/** Events by time; those of the same time in insertion order. Owner: the run. */
final class Events {
    interface Event {
        void happen(long nowNanos);
    }

    private final TimedQueue<Event> queue = new TimedQueue<>();

    void at(long nanos, Event event) {
        queue.add(nanos, event);
    }

    /** Runs events until the end, or until none is left. Returns the time of the last one. */
    long run(long endNanos) {
        long nowNanos = 0;
        while (!queue.isEmpty() && queue.firstTime() <= endNanos) {
            nowNanos = queue.firstTime();
            queue.remove().happen(nowNanos);
        }
        return nowNanos;
    }
}
