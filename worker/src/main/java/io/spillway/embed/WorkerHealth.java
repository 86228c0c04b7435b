package io.spillway.embed;

/**
 * State of an embedded worker, for a readiness check.
 *
 * @param ready  whether it runs, the cluster answers, and its calls to Kafka succeed
 * @param reason one line that says why it is not ready; empty if it is, never null
 */
public record WorkerHealth(boolean ready, String reason) {
    static final WorkerHealth READY = new WorkerHealth(true, "");

    static WorkerHealth notReady(String reason) {
        return new WorkerHealth(false, reason);
    }
}
