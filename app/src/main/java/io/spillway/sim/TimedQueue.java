package io.spillway.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Things by the time they are due, those of one time in the order in which they were put in: a binary heap, with the keys
 * beside and without an object for each entry.
 *
 * <p>Owner: whoever made it. Bound: its owner's.
 */
final class TimedQueue<T> {
    private long[] times = new long[64];
    private long[] numbers = new long[64];
    private final List<T> things = new ArrayList<>();
    private long next;

    boolean isEmpty() {
        return things.isEmpty();
    }

    int size() {
        return things.size();
    }

    /** When the first is due; there is one. */
    long firstTime() {
        return times[0];
    }

    void add(long time, T thing) {
        int at = things.size();
        if (at == times.length) {
            times = Arrays.copyOf(times, 2 * at);
            numbers = Arrays.copyOf(numbers, 2 * at);
        }
        things.add(thing);
        long number = next++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (times[parent] <= time) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        put(at, time, number, thing);
    }

    /** Takes the first out; there is one. */
    T remove() {
        T first = things.getFirst();
        int last = things.size() - 1;
        long time = times[last];
        long number = numbers[last];
        T thing = things.remove(last);
        if (last > 0) {
            int at = 0;
            for (int child = 1; child < last; child = 2 * at + 1) {
                if (child + 1 < last && isBefore(times[child + 1], numbers[child + 1], child)) {
                    child++;
                }
                if (!isBefore(times[child], numbers[child], time, number)) {
                    break;
                }
                move(child, at);
                at = child;
            }
            put(at, time, number, thing);
        }
        return first;
    }

    private boolean isBefore(long time, long number, int other) {
        return isBefore(time, number, times[other], numbers[other]);
    }

    private static boolean isBefore(long time, long number, long otherTime, long otherNumber) {
        return time != otherTime ? time < otherTime : number < otherNumber;
    }

    private void move(int from, int to) {
        put(to, times[from], numbers[from], things.get(from));
    }

    private void put(int at, long time, long number, T thing) {
        times[at] = time;
        numbers[at] = number;
        things.set(at, thing);
    }
}
