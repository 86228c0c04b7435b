package io.spillway.cli;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;

/** A handler for processes of tests: what becomes of an item is in its payload. */
public final class MixedHandler implements Handler {
    @Override
    public Outcome handle(Delivery delivery) {
        String told = new String(delivery.payload(), StandardCharsets.UTF_8);
        return switch (told) {
            case "dead" -> Outcome.dead("as told");
            case "once more" -> delivery.attempt() == 1 ? Outcome.retry("as told") : Outcome.done();
            default -> Outcome.done();
        };
    }
}
