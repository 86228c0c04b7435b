package io.spillway.core.engine;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Items at or above the committed horizon of their partition, in the order of their offsets: they may start after a
 * commit that raises it.
 *
 * <p>Owner: the {@link WorkerEngine}. Bound: the unfinished items of the owned partitions.
 *
 * @param <T> the caller's item
 */
final class HeldItems<T extends EngineItem> {
    private final Map<EnginePartition, Queue<T>> byPartition = new HashMap<>();

    void add(T item) {
        byPartition.computeIfAbsent(item.partition(), absent -> new ArrayDeque<>()).add(item);
    }

    /** Takes out the items of a partition that are below the committed horizon now. */
    void release(EnginePartition partition, Consumer<T> visitor) {
        Queue<T> queue = byPartition.get(partition);
        while (queue != null && !queue.isEmpty() && partition.progress.mayStart(queue.peek().offset())) {
            visitor.accept(queue.remove());
        }
    }

    void forget(EnginePartition partition) {
        byPartition.remove(partition);
    }
}
