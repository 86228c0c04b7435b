package io.spillway.worker;

import io.spillway.handler.Handler;

/**
 * Handler that hands items to consumers who ask for them. Attempts start only as far as items are asked for, so that an
 * item keeps waiting in its lane, at no cost and in its fair turn, until a consumer is there.
 */
public interface OnDemandHandler extends Handler {
    /**
     * Returns the most calls of {@link #handle} that may run now, 0 or more, besides {@code worker.slots} and calls for
     * items suspected of crashing earlier workers. Called often, under a lock of the worker: it must neither block nor
     * call the worker.
     */
    int limit();

    /**
     * Sets what to run, without a lock of this handler, after {@link #limit} has grown. Called once, before the first
     * call of {@link #handle}.
     */
    void onDemand(Runnable grown);
}
