package io.spillway.core.scheduling;

/** Visitor of waiting items. It must not call the scheduler. */
@FunctionalInterface
public interface WaitingVisitor<T> {
    /**
     * Visits an item with its place, from 0, among those of its tenant, lane, workload and priority; returns whether to
     * go on with the next of them.
     */
    boolean visit(T item, int place);
}
