package io.spillway.core.scheduling;

import java.util.Comparator;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Nodes that their {@link StartRate} holds back, and destinations that one may not have used, by the time at which to
 * look at them again.
 *
 * <p>Owner: {@link FairDispatch}. Bound: the nodes that have started an item and owe their rate its time, with items or
 * without.
 */
final class Pacing<T> {
    private final PriorityQueue<Look<T>> looks =
            new PriorityQueue<>(Comparator.comparingLong((Look<T> look) -> look.atNanos));

    private record Look<T>(LimitedNode<T> node, long atNanos) {}

    /** Follows a start of a node: one without a start left is held back from now on. */
    void started(LimitedNode<T> node, long nowNanos) {
        if (node.isPaced && !node.isInPacing) {
            node.isInPacing = true;
            looks.add(new Look<>(node, node.rate.nextNanos(nowNanos)));
        }
    }

    /** Passes a node on at this time, or as soon as its rate lets it go. */
    void lookAgain(LimitedNode<T> node, long atNanos) {
        if (!node.isInPacing) {
            node.isInPacing = true;
            looks.add(new Look<>(node, atNanos));
        }
    }

    /** Lets the nodes go whose time has come, each of which it passes on. */
    void wake(long nowNanos, Consumer<LimitedNode<T>> free) {
        while (!looks.isEmpty() && looks.peek().atNanos <= nowNanos) {
            LimitedNode<T> node = looks.remove().node;
            node.isInPacing = false;
            // Also one without items, whose next one may come soon.
            node.isPaced = node.rate != null && !node.rate.mayStart(nowNanos);
            if (node.isPaced) {
                started(node, nowNanos);
            } else {
                free.accept(node);
            }
        }
    }

    /** Returns when the next one may start; empty if none is held back. */
    OptionalLong nextNanos() {
        return looks.isEmpty() ? OptionalLong.empty() : OptionalLong.of(looks.peek().atNanos);
    }
}
