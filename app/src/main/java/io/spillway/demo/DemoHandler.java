package io.spillway.demo;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;

/** Handler of the demo's worker. Stateless. */
public final class DemoHandler implements Handler {
    private final DemoDestination destination;
    private final DemoTally tally;

    public DemoHandler(DemoDestination destination, DemoTally tally) {
        this.destination = destination;
        this.tally = tally;
    }

    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        boolean done = false;
        tally.begun(delivery.tenant(), delivery.enqueuedAt().toEpochMilli(), delivery.attempt());
        try {
            destination.take(delivery.tenant(), delivery.id());
            done = true;
        } finally {
            tally.ended(delivery.tenant(), done);
        }
        return Outcome.done();
    }
}
