package io.spillway.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Timeline and traffic of a run with several workers: load for {@code warmSeconds}, {@code beforeSeconds} that count,
 * and unless {@code spikeSeconds} is 0 a spike and {@value #AFTER_SECONDS} s of the load of before.
 *
 * @param workers       1 or more
 * @param slots         of each worker
 * @param partitions    of ingress and of each lane
 * @param tenants       all with the same rate
 * @param perSecond     items a second of all tenants, on average
 * @param handlerMillis what a call takes
 * @param factor        of the rate in the spike, above 1
 */
record FleetPlan(
        int workers, int slots, int partitions, int tenants, double perSecond, int handlerMillis,
        int warmSeconds, int beforeSeconds, int spikeSeconds, double factor) {
    /** Both windows after the spike end here. */
    static final int AFTER_SECONDS = 21;

    /** Windows by the time at which an item arrives. */
    enum Phase {
        BEFORE("before"),
        SPIKE("in the spike"),
        AFTER("1 to 11 s after"),
        LATER("11 to 21 s after");

        private final String label;

        Phase(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    FleetPlan {
        if (slots < 1) {
            throw new IllegalArgumentException("--slots must be at least as many as --workers");
        }
        if (spikeSeconds > 0 && factor <= 1) {
            throw new IllegalArgumentException("--factor must be above 1");
        }
    }

    boolean hasSpike() {
        return spikeSeconds > 0;
    }

    List<Phase> phases() {
        return hasSpike() ? List.of(Phase.values()) : List.of(Phase.BEFORE);
    }

    int fromSecond(Phase phase) {
        return switch (phase) {
            case BEFORE -> warmSeconds;
            case SPIKE -> warmSeconds + beforeSeconds;
            case AFTER -> spikeEndSecond() + 1;
            case LATER -> spikeEndSecond() + 11;
        };
    }

    /** Exclusive. */
    int toSecond(Phase phase) {
        return switch (phase) {
            case BEFORE -> warmSeconds + beforeSeconds;
            case SPIKE -> spikeEndSecond();
            case AFTER -> spikeEndSecond() + 11;
            case LATER -> spikeEndSecond() + AFTER_SECONDS;
        };
    }

    int spikeEndSecond() {
        return warmSeconds + beforeSeconds + spikeSeconds;
    }

    /** When the last item arrives. */
    int seconds() {
        return toSecond(phases().getLast());
    }

    /** The spike is a flow of its own, since the sum of Poisson processes is one. */
    Traffic traffic(long seed) {
        List<Flow> flows = new ArrayList<>();
        flows.add(Flow.poisson(0, tenants, perSecond, 0, seconds(), seed));
        if (hasSpike()) {
            flows.add(Flow.poisson(
                    0, tenants, perSecond * (factor - 1), fromSecond(Phase.SPIKE), spikeSeconds, ~seed));
        }
        return new Traffic(flows);
    }

    /** Settings over those of the bench; aged items are as the product has them. */
    Map<String, String> settings() {
        return Map.of(
                "topics.partitions", Integer.toString(partitions), "worker.slots", Integer.toString(slots),
                "defaults.agedAfter", "");
    }

    @Override
    public String toString() {
        return "%d workers of %d slots, %d partitions, %d tenants, %.0f items/s, handler %d ms".formatted(
                workers, slots, partitions, tenants, perSecond, handlerMillis);
    }
}
