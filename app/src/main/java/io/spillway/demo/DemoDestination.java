package io.spillway.demo;

/** Simulated destination of both queues: takes a while per item and always rejects the poison pill. Thread-safe. */
final class DemoDestination {
    private final DemoPlan plan;
    private final DemoClock clock;

    DemoDestination(DemoPlan plan, DemoClock clock) {
        this.plan = plan;
        this.clock = clock;
    }

    /**
     * Handles an item.
     *
     * @throws InterruptedException  if the queue cancels the attempt
     * @throws IllegalStateException for the poison pill, at every attempt
     */
    void take(String tenant, String id) throws InterruptedException {
        Thread.sleep(plan.workMillis(tenant, id, clock.elapsedMillis()));
        if (id.startsWith(DemoPlan.POISON_PILL)) {
            throw new IllegalStateException("the destination rejects this item every time");
        }
    }
}
