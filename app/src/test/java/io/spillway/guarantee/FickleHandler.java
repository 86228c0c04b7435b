package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Does with an item what its payload says. */
public final class FickleHandler implements Handler {
    /** What an item can ask for; most are done at once, for a tenant's retries have a budget, and wait when it is used up. */
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
            case "retry-once" -> delivery.attempt() > 1 ? Outcome.done() : Outcome.retry("told to");
            case "fail" -> throw new IllegalStateException("told to");
            case "dead" -> Outcome.dead("told to");
            default -> Outcome.done();
        };
    }
}
