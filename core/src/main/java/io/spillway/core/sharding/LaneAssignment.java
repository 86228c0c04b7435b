package io.spillway.core.sharding;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Assignment of the partitions of all lanes to workers, weighted by their slots. Lanes have the same number of
 * partitions.
 *
 * <p>Balance. The quota of a worker is its part of the slots, of all partitions. Over all lanes it owns its quota,
 * rounded up or down, and of each lane its part of the quota, rounded up or down. A worker whose quota is less than one
 * partition of each lane gets one of each nevertheless, and the others share the rest. With more workers than a lane
 * has partitions, the minimum is one partition of any lane. With more workers than partitions, as many workers as there
 * are partitions own one each.
 *
 * <p>Movement. Within these bounds, as many partitions as possible stay where they are. When one of N equal workers
 * leaves, its partitions move, and when one joins, those that it gets; at most one more of each lane. An assignment of
 * the result, or of a part of it, moves nothing.
 *
 * <p>Pure: the result depends on the arguments, but not on the order of the workers. Time: a few passes over the
 * workers for each worker and lane.
 */
public final class LaneAssignment {
    private final Worker[] workers;
    private final String[][] owners;
    private final int lanes;
    private final int partitions;
    /** Number of partitions that a worker owns now, by worker and lane. */
    private final int[][] owned;
    /** Number of partitions of each lane that a worker gets at least. */
    private final int[] base;
    /**
     * Whether a worker gets one more than its base, by worker and lane. An additional last column stands for one more
     * of no lane: its quota is rounded down. So rounding is exchanged between workers as partitions are.
     */
    private final boolean[][] hasExtra;
    /** Whether the quota of a worker is not a whole number. */
    private final boolean[] isRounded;

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

    private LaneAssignment(Collection<Worker> workers, String[][] owners) {
        this.workers = workers.stream().sorted(Comparator.comparing(Worker::id)).toArray(Worker[]::new);
        this.owners = owners;
        this.lanes = owners.length;
        this.partitions = owners[0].length;
        this.owned = new int[this.workers.length][lanes];
        this.base = new int[this.workers.length];
        this.hasExtra = new boolean[this.workers.length][lanes + 1];
        this.isRounded = new boolean[this.workers.length];
    }

    /**
     * Returns the worker that is to own each partition.
     *
     * @param workers 1 or more
     * @param owners  the worker that owns each partition now, by lane and number of the partition: 1 or more lanes of
     *                equal length, with null for a partition without a worker; others than the workers count as null
     */
    public static String[][] assign(Collection<Worker> workers, String[][] owners) {
        LaneAssignment assignment = new LaneAssignment(workers, owners);
        assignment.countOwned();
        assignment.setQuotas();
        assignment.keepExtras();
        return assignment.distribute();
    }

    private void countOwned() {
        Map<String, Integer> numbers = numbers();
        for (int lane = 0; lane < lanes; lane++) {
            for (String owner : owners[lane]) {
                if (numbers.containsKey(owner)) {
                    owned[numbers.get(owner)][lane]++;
                }
            }
        }
    }

    private Map<String, Integer> numbers() {
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < workers.length; i++) {
            numbers.put(workers[i].id(), i);
        }
        return numbers;
    }

    /** Sets how many partitions each worker gets, with any choice of lanes for the extra ones. */
    private void setQuotas() {
        int all = lanes * partitions;
        int minimum = workers.length <= partitions ? lanes : workers.length <= all ? 1 : 0;
        // With more workers than partitions, one each is the fairest, however large some are.
        long[] weights = Arrays.stream(workers).mapToLong(worker -> minimum == 0 ? 1 : worker.slots()).toArray();
        boolean[] isMinimal = new boolean[workers.length];
        long shared = all;
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
        int[] totals = new int[workers.length];
        long[] rests = new long[workers.length];
        for (int i = 0; i < workers.length; i++) {
            totals[i] = isMinimal[i] ? minimum : (int) (shared * weights[i] / weight);
            rests[i] = isMinimal[i] ? 0 : shared * weights[i] % weight;
            base[i] = totals[i] / lanes;
        }
        int surplus = all - Arrays.stream(totals).sum();
        IntStream.range(0, workers.length).filter(i -> rests[i] > 0).boxed()
                .sorted(Comparator.comparing(i -> -rests[i])).skip(surplus)
                .forEach(i -> hasExtra[i][lanes] = true);
        int lane = 0;
        for (int i = 0; i < workers.length; i++) {
            isRounded[i] = rests[i] > 0;
            int extra = totals[i] % lanes + (isRounded[i] && !hasExtra[i][lanes] ? 1 : 0);
            for (int each = 0; each < extra; each++) {
                hasExtra[i][lane] = true;
                lane = (lane + 1) % lanes;
            }
        }
    }

    /** Exchanges extra partitions between workers and lanes while that keeps more of them at their owners. */
    private void keepExtras() {
        while (exchange()) {
            // Each time one more is kept, at least.
        }
    }

    /**
     * Moves an extra of one lane to another, of that lane to a third, and so on back to the first one, each of the
     * worker that gains most, if all together gain: a cycle of positive weight (Bellman and Ford). Without one, no
     * choice of lanes keeps more (Klein 1967). Returns whether there was one.
     */
    private boolean exchange() {
        int[][] best = new int[lanes + 1][lanes + 1];
        for (int from = 0; from <= lanes; from++) {
            for (int to = 0; to <= lanes; to++) {
                best[from][to] = best(from, to);
            }
        }
        int[] gains = new int[lanes + 1];
        int[] previous = new int[lanes + 1];
        int changed = -1;
        for (int pass = 0; pass <= lanes; pass++) {
            changed = -1;
            for (int from = 0; from <= lanes; from++) {
                for (int to = 0; to <= lanes; to++) {
                    int worker = best[from][to];
                    if (worker >= 0 && gains[from] + gain(worker, from, to) > gains[to]) {
                        gains[to] = gains[from] + gain(worker, from, to);
                        previous[to] = from;
                        changed = to;
                    }
                }
            }
        }
        if (changed < 0) {
            return false;
        }
        for (int step = 0; step <= lanes; step++) {
            changed = previous[changed];
        }
        int to = changed;
        do {
            int from = previous[to];
            hasExtra[best[from][to]][from] = false;
            hasExtra[best[from][to]][to] = true;
            to = from;
        } while (to != changed);
        return true;
    }

    /** Returns the worker that gains most if its extra of one lane becomes one of another; -1 for none. */
    private int best(int from, int to) {
        int best = -1;
        for (int i = 0; i < workers.length; i++) {
            if (hasExtra[i][from] && !hasExtra[i][to] && (to < lanes || isRounded[i])
                    && (best < 0 || gain(i, from, to) > gain(best, from, to))) {
                best = i;
            }
        }
        return best;
    }

    private int gain(int worker, int from, int to) {
        return keeps(worker, to) - keeps(worker, from);
    }

    /** Returns 1 if a worker owns the extra partition of a lane already, otherwise 0. */
    private int keeps(int worker, int lane) {
        return lane < lanes && owned[worker][lane] > base[worker] ? 1 : 0;
    }

    private String[][] distribute() {
        Map<String, Integer> numbers = numbers();
        String[][] result = new String[lanes][partitions];
        for (int lane = 0; lane < lanes; lane++) {
            int[] open = new int[workers.length];
            for (int i = 0; i < workers.length; i++) {
                open[i] = base[i] + (hasExtra[i][lane] ? 1 : 0);
            }
            for (int partition = 0; partition < partitions; partition++) {
                Integer owner = numbers.get(owners[lane][partition]);
                if (owner != null && open[owner] > 0) {
                    open[owner]--;
                    result[lane][partition] = owners[lane][partition];
                }
            }
            int next = 0;
            for (int partition = 0; partition < partitions; partition++) {
                if (result[lane][partition] == null) {
                    while (open[next] == 0) {
                        next++;
                    }
                    open[next]--;
                    result[lane][partition] = workers[next].id();
                }
            }
        }
        return result;
    }
}
