package io.spillway.sim;

/** What is to happen, in the order of time; of one moment in the order in which it was put in. Owned by the run. */
final class Events {
    /** Something that happens at a moment. */
    interface Event {
        void happen(long nowNanos);
    }

    private final TimedQueue<Event> queue = new TimedQueue<>();

    void at(long nanos, Event event) {
        queue.add(nanos, event);
    }

    /** Lets everything happen until the end, or until nothing is left. Returns when the last of it was. */
    long run(long endNanos) {
        long nowNanos = 0;
        while (!queue.isEmpty() && queue.firstTime() <= endNanos) {
            nowNanos = queue.firstTime();
            queue.remove().happen(nowNanos);
        }
        return nowNanos;
    }
}
