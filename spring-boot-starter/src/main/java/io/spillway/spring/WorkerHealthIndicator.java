package io.spillway.spring;

import io.spillway.embed.WorkerHealth;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Health of the worker for Actuator: down with the reason while it is not ready. */
final class WorkerHealthIndicator implements HealthIndicator {
    private final WorkerLifecycle worker;

    WorkerHealthIndicator(WorkerLifecycle worker) {
        this.worker = worker;
    }

    @Override
    public Health health() {
        WorkerHealth health = worker.health();
        return health.ready() ? Health.up().build() : Health.down().withDetail("reason", health.reason()).build();
    }
}
