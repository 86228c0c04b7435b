package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Assignment of partition numbers to workers, weighted by their slots.
 *
 * <p>Balance. The quota of a worker is its part of the slots, of all partitions. It gets its quota, rounded up or down.
 * A worker whose quota is less than one partition gets one nevertheless, and the others share the rest. With more
 * workers than partitions, as many workers as there are partitions own one each.
 *
 * <p>Movement. Within these bounds, as many partitions as possible stay where they are. When one of N equal workers
 * leaves, its partitions move, and when one joins, those that it gets; at most one more. An assignment of the result,
 * or of a part of it, moves nothing.
 *
 * <p>Pure: the result depends on the arguments, but not on the order of the workers. Time: a pass over the workers for
 * each one with less than one partition, and over the partitions.
 */
public final class SlotAssignment {
    /** In the order of their names. */
    private final Worker[] workers;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final String[] owners;
    /** Number of partitions that a worker owns now. */
    private final int[] owned;

    /**
     * Worker that takes part.
     *
     * @param id    name, different from those of the others
     * @param slots weight, 1 to 100,000
     */
    public record Worker(String id, int slots) {
        public static final int MAX_SLOTS = 100_000;

        public Worker {
            if (slots < 1 || slots > MAX_SLOTS) {
                throw new IllegalArgumentException("slots = " + slots + ": must be from 1 to 100,000");
            }
        }
    }

    private SlotAssignment(Collection<Worker> workers, String[] owners) {
        this.workers = workers.stream().sorted(Comparator.comparing(Worker::id)).toArray(Worker[]::new);
        this.owners = owners;
        this.owned = new int[this.workers.length];
        for (int i = 0; i < this.workers.length; i++) {
            numbers.put(this.workers[i].id(), i);
        }
        for (String owner : owners) {
            if (numbers.containsKey(owner)) {
                owned[numbers.get(owner)]++;
            }
        }
    }

    /**
     * Returns the worker that is to own each partition.
     *
     * @param workers 1 or more
     * @param owners  the worker that owns each partition now, by number, with null for a partition without a worker;
     *                others than the workers count as null
     */
    public static String[] assign(Collection<Worker> workers, String[] owners) {
        SlotAssignment assignment = new SlotAssignment(workers, owners);
        return assignment.distribute(assignment.sizes());
    }

    /** Returns how many partitions each worker gets. */
    private int[] sizes() {
        int minimum = workers.length <= owners.length ? 1 : 0;
        // With more workers than partitions, one each is the fairest, however large some are.
        long[] weights = Arrays.stream(workers).mapToLong(worker -> minimum == 0 ? 1 : worker.slots()).toArray();
        boolean[] isMinimal = new boolean[workers.length];
        long shared = owners.length;
        long weight = Arrays.stream(weights).sum();
        for (boolean isSettled = false; !isSettled;) {
            isSettled = true;
            long sharedBefore = shared;
            long weightBefore = weight;
            for (int i = 0; i < workers.length; i++) {
                if (!isMinimal[i] && sharedBefore * weights[i] < minimum * weightBefore) {
                    isMinimal[i] = true;
                    isSettled = false;
                    shared -= minimum;
                    weight -= weights[i];
                }
            }
        }
        int[] sizes = new int[workers.length];
        long[] rests = new long[workers.length];
        for (int i = 0; i < workers.length; i++) {
            sizes[i] = isMinimal[i] ? minimum : (int) (shared * weights[i] / weight);
            rests[i] = isMinimal[i] ? 0 : shared * weights[i] % weight;
        }
        // Rounded up are first those that have one more already, then those with the largest rests.
        int surplus = owners.length - Arrays.stream(sizes).sum();
        IntStream.range(0, workers.length).filter(i -> rests[i] > 0).boxed()
                .sorted(Comparator.<Integer, Boolean>comparing(i -> owned[i] <= sizes[i])
                        .thenComparing(i -> -rests[i]))
                .limit(surplus).forEach(i -> sizes[i]++);
        return sizes;
    }

    private String[] distribute(int[] open) {
        String[] result = new String[owners.length];
        for (int partition = 0; partition < owners.length; partition++) {
            Integer owner = numbers.get(owners[partition]);
            if (owner != null && open[owner] > 0) {
                open[owner]--;
                result[partition] = owners[partition];
            }
        }
        int next = 0;
        for (int partition = 0; partition < owners.length; partition++) {
            if (result[partition] == null) {
                while (open[next] == 0) {
                    next++;
                }
                open[next]--;
                result[partition] = workers[next].id();
            }
        }
        return result;
    }
}
