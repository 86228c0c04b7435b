package io.spillway.demo;

/** Simulated destination of both queues: takes a while per item and always rejects the poison pill. Thread-safe. */
record DemoDestination(DemoPlan plan, DemoClock clock) {
    /**
     * Handles an item and counts the attempt.
     *
     * @throws InterruptedException  if the queue cancels the attempt
     * @throws IllegalStateException for the poison pill, at every attempt
     */
    void take(String tenant, String id, long enqueuedAtMillis, int attempt, DemoTally tally)
            throws InterruptedException {
        boolean done = false;
        tally.begun(tenant, enqueuedAtMillis, attempt);
        try {
            Thread.sleep(plan.workMillis(tenant, id, clock.elapsedMillis()));
            if (id.startsWith(DemoPlan.POISON_PILL)) {
                throw new IllegalStateException("the destination rejects this item every time");
            }
            done = true;
        } finally {
            tally.ended(tenant, done);
        }
    }
}
