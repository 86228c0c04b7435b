package io.spillway.deadletter;

import io.spillway.core.item.ItemState;

/** Removal of dead letters without a successor. */
public record Discard() implements Disposal {
    @Override
    public String done() {
        return "discarded";
    }

    @Override
    public ItemState to() {
        return ItemState.DROPPED;
    }
}
