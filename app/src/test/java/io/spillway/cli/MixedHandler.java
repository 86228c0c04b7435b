package io.spillway.cli;

import io.spillway.worker.Delivery;
import io.spillway.worker.Handler;
import io.spillway.worker.Outcome;
import java.nio.charset.StandardCharsets;

/** A handler for processes of tests: what becomes of an item is in its payload. */
public final class MixedHandler implements Handler {
    @Override
    public Outcome handle(Delivery delivery) {
        String told = new String(delivery.item().payload(), StandardCharsets.UTF_8);
        return switch (told) {
            case "dead" -> Outcome.dead("as told");
            case "once more" -> delivery.attempt() == 1 ? Outcome.retry("as told") : Outcome.done();
            default -> Outcome.done();
        };
    }

    @Override
    public boolean fansOut() {
        return true;
    }
}
