package io.spillway.demo;

/** What stands behind both queues: it takes its time, and one item it never takes. Stateless; called by any thread. */
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
     * @throws InterruptedException  when the queue wants its thread back
     * @throws IllegalStateException for the poison pill, each time
     */
    void take(String tenant, String id) throws InterruptedException {
        Thread.sleep(plan.workMillis(tenant, id, clock.elapsedMillis()));
        if (id.startsWith(DemoPlan.POISON_PILL)) {
            throw new IllegalStateException("the destination refuses this item every time");
        }
    }
}
