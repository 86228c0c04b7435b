package io.spillway.spring;

import org.springframework.boot.availability.AvailabilityState;

/**
 * Availability of the application's worker, published as an
 * {@link org.springframework.boot.availability.AvailabilityChangeEvent} within a second of each change.
 */
public enum WorkerAvailability implements AvailabilityState {
    /** It handles items. */
    READY,
    /** It has lost Kafka, or has ended after a failure and starts again by itself; its health has the reason. */
    NOT_READY
}
