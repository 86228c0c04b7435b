package io.spillway.cli;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/** A handler for processes of tests, with the troubles that an operator sees: what an item does is in its payload. */
public final class TroubledHandler implements Handler {
    private static final long SLOW_NANOS = 2_000_000_000;

    @Override
    public Outcome handle(Delivery delivery) {
        String told = new String(delivery.payload(), StandardCharsets.UTF_8);
        return switch (told) {
            case "slow" -> {
                LockSupport.parkNanos(SLOW_NANOS);
                yield Outcome.done();
            }
            case "down" -> Outcome.retry("connection refused");
            case "done" -> Outcome.done();
            default -> Outcome.dead("cannot parse the order");
        };
    }
}
