package io.spillway.core.scheduling;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** What several tenants or workloads call, with the limit of all of them together. Owner: {@link Destinations}. */
final class DestinationNode<T> extends LimitedNode<T> {
    /** Leaves that are put aside, the first ones first. Bound: those with items. */
    final SequencedSet<FairNode<T>> aside = new LinkedHashSet<>();

    DestinationNode(String name) {
        // No name of a tenant is empty.
        super("//" + name);
    }

    /** Returns the milliseconds between two starts. */
    double apartMillis() {
        return apartMillis(estimateMillis(LEAST_MILLIS) / Math.max(1, concurrency));
    }

    @Override
    void followLimit() {
        // The destinations look at it after each change.
    }
}
