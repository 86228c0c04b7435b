package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Handler whose outcomes are in the payload of the item. */
public final class FlakyHandler implements Handler {
    /** Payloads; most are done at the first attempt, because the retry budget of a tenant limits the others. */
    static final String[] PLANS = plans();

    private static String[] plans() {
        String[] plans = new String[40];
        Arrays.fill(plans, "done");
        plans[0] = "retry-once";
        plans[1] = "fail";
        plans[2] = "dead";
        return plans;
    }

    @Override
    public Outcome handle(Delivery delivery) {
        return switch (new String(delivery.payload(), StandardCharsets.UTF_8)) {
            case "retry-once" -> delivery.attempt() > 1 ? Outcome.done() : Outcome.retry("as requested");
            case "fail" -> throw new IllegalStateException("as requested");
            case "dead" -> Outcome.dead("as requested");
            default -> Outcome.done();
        };
    }
}
