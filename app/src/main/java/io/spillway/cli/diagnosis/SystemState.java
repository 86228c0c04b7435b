package io.spillway.cli.diagnosis;

import io.spillway.core.item.ItemState;
import io.spillway.kafka.view.Depths;
import io.spillway.operator.report.DepthsQuery;
import io.spillway.operator.report.Instances;
import io.spillway.operator.report.QueueReader;
import io.spillway.operator.report.QueueState;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * State of a queue at one moment. Its components are the JSON fields, with the terms of the command {@code depth}.
 *
 * @param at            time in ISO 8601
 * @param lanes         ingress, and then the lanes
 * @param tenants       tenants with a backlog or a flow: late ones first, then the largest backlogs, then the largest
 *                      inflows; at most {@value DepthsQuery#MAX_LIMIT}
 * @param tenantsKnown  tenants with a balance
 * @param tenantsWaiting tenants with a backlog
 * @param tenantsLate   tenants whose backlog outlives its items
 * @param deadLettered  dead letters that are neither replayed nor discarded
 * @param deadLetters   items that have ever become dead letters
 * @param accepted      items that have ever been routed
 * @param ledgerBehind  entries of the ledger that are not in the balances yet
 * @param slots         slots of all workers
 */
record SystemState(
        String at, QueueState.Total total, List<Lane> lanes, List<QueueState.Tenant> tenants, int tenantsKnown,
        int tenantsWaiting, int tenantsLate, long deadLettered, long deadLetters, long accepted, long ledgerBehind,
        Running instances, long slots, double handledPerSecond) {
    /**
     * State of ingress or a lane.
     *
     * @param oldestSeconds age of the oldest first record of a partition, since it entered; null if nothing waits or
     *                      it is not known
     * @param inPerSecond   null for ingress
     * @param outPerSecond  null for ingress
     * @param drainSeconds  null for ingress, and for a backlog that does not shrink; 0 for delay
     */
    record Lane(
            String lane, long waiting, Double oldestSeconds, Double inPerSecond, Double outPerSecond,
            Double drainSeconds) {}

    /**
     * Instances, of which the console lists more.
     *
     * @param versions version by instance; empty text for one that does not name it
     */
    record Running(int routers, int workers, int gateways, SortedMap<String, String> versions) {
        private static Running of(Instances all) {
            SortedMap<String, String> versions = new TreeMap<>();
            Stream.of(all.routers(), all.workers(), all.gateways()).flatMap(List::stream).forEach(instance ->
                    versions.put(instance.id(), Objects.requireNonNullElse(instance.version(), "")));
            return new Running(all.routers().size(), all.workers().size(), all.gateways().size(), versions);
        }
    }

    /** Reads the state. */
    static SystemState read(QueueReader reader) {
        return of(reader.state(DepthsQuery.BUSIEST), reader.depths(), reader.readings());
    }

    /** Returns the state of these parts, which were read at about the same time. */
    static SystemState of(QueueState queue, Depths depths, QueueReader.Readings readings) {
        List<Instances.Load> loads = readings.instances().workers().stream().map(Instances.Instance::load)
                .filter(Objects::nonNull).toList();
        List<Lane> lanes = new ArrayList<>();
        lanes.add(new Lane(QueueReader.INGRESS, readings.ingress(),
                age(readings, QueueReader.INGRESS, readings.ingress()), null, null, null));
        queue.lanes().forEach((label, lane) -> lanes.add(new Lane(
                label, lane.waiting(), age(readings, label, lane.waiting()), lane.inPerSecond(), lane.outPerSecond(),
                lane.drainSeconds())));
        return new SystemState(
                queue.asOf(), queue.total(), lanes, queue.tenants(), queue.tenantsKnown(), queue.tenantsWaiting(),
                queue.tenantsLate(), queue.total().deadLettered(), depths.entered(ItemState.DEAD_LETTER),
                depths.left(ItemState.OUTSIDE), readings.ledgerBehind(), Running.of(readings.instances()),
                loads.stream().mapToLong(Instances.Load::slots).sum(),
                loads.stream().mapToDouble(Instances.Load::handledPerSecond).sum());
    }

    /** Returns the state of a lane, or of {@link QueueReader#INGRESS}. */
    Lane lane(String label) {
        return lanes.stream().filter(lane -> lane.lane().equals(label)).findFirst().orElseThrow();
    }

    /** Does not add the time since it was read: in a lane that moves, it would be too old. */
    private static Double age(QueueReader.Readings readings, String lane, long waiting) {
        Long ageMillis = readings.oldestMillis().get(lane);
        return ageMillis == null || waiting <= 0 ? null : (Double) (Math.max(0, ageMillis) / 1e3);
    }
}
