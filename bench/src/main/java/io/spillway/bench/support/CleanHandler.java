package io.spillway.bench.support;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;

/** Handler that says that it leaves its thread as it was, as those of Spillway do: its threads go on with others. */
public record CleanHandler(Handler handler) implements Handler {
    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        return handler.handle(delivery);
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }
}
