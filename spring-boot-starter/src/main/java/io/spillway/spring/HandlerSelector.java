package io.spillway.spring;

import io.spillway.handler.Delivery;

/**
 * Chooses the method that handles an item, where workloads are for fairness and something else, such as a header, says
 * what is to be done. A bean of this type, of which there may be one, replaces the choice by the item's workload.
 * Called from many threads at once.
 */
@FunctionalInterface
public interface HandlerSelector {
    /**
     * Returns the {@link SpillwayHandler#workload} of the method. An exception counts as a failed attempt.
     *
     * @return not null; a name that no method has stands for the method without one
     */
    String select(Delivery delivery);
}
