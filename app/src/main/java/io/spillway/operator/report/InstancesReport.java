package io.spillway.operator.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.ProgressMark;
import io.spillway.schema.LaneState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/**
 * Routers, workers and gateways as JSON, from their statuses on compacted topics and the members of the groups. Those
 * whose last status is older than {@value #ALIVE_MILLIS} ms, and that are in no group, are left out. Immutable.
 *
 * @param version version of this gateway
 */
record InstancesReport(Topics topics, OperatorReads reads, String version) {
    /** Longer than three idle intervals of any status. */
    static final long ALIVE_MILLIS = 10_000;
    private static final int MAX_LISTED = 1_000;

    /** What is known of an instance: a status, or members of the group, or both. */
    private static final class Instance {
        private final List<OperatorReads.GroupMember> members = new ArrayList<>();
        private Optional<OperatorReads.Latest> status = Optional.empty();
    }

    ObjectNode at(long nowMillis) {
        Map<String, OperatorReads.Latest> demand = reads.latest(topics.demand());
        // Every instance follows the policies.
        Map<String, ProgressMark> marks = reads.marks(topics.policies());
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("asOf", DepthsReport.iso(nowMillis));
        json.put("gatewayVersion", version);
        add(json.putArray("routers"), instances(
                statuses(demand, Demands.Role.ROUTER), reads.members(topics.routerGroup()),
                topics.routerGroup() + "-", nowMillis), marks, false);
        add(json.putArray("workers"), instances(
                reads.latest(topics.laneState()), reads.members(topics.workerGroup()), topics.workerGroup() + ".",
                nowMillis), marks, true);
        add(json.putArray("gateways"), instances(
                statuses(demand, Demands.Role.GATEWAY), List.of(), "", nowMillis), marks, false);
        return json;
    }

    private static Map<String, OperatorReads.Latest> statuses(
            Map<String, OperatorReads.Latest> demand, Demands.Role role) {
        Map<String, OperatorReads.Latest> ofRole = new TreeMap<>();
        String prefix = role.member("");
        demand.forEach((member, latest) -> {
            if (member.startsWith(prefix) && member.indexOf('/', prefix.length()) < 0) {
                ofRole.put(member.substring(prefix.length()), latest);
            }
        });
        return ofRole;
    }

    private static Map<String, Instance> instances(
            Map<String, OperatorReads.Latest> statuses, Collection<OperatorReads.GroupMember> members,
            String clientPrefix, long nowMillis) {
        Map<String, Instance> instances = new TreeMap<>();
        statuses.forEach((name, latest) -> {
            if (nowMillis - latest.atMillis() <= ALIVE_MILLIS) {
                instances.computeIfAbsent(name, absent -> new Instance()).status = Optional.of(latest);
            }
        });
        for (OperatorReads.GroupMember member : members) {
            String client = member.clientId();
            if (client.startsWith(clientPrefix)) {
                // Kafka Streams appends the number of the thread.
                String name = client.substring(clientPrefix.length()).replaceFirst("-StreamThread-.*", "");
                instances.computeIfAbsent(name, absent -> new Instance()).members.add(member);
            }
        }
        return instances;
    }

    private static void add(
            ArrayNode array, Map<String, Instance> instances, Map<String, ProgressMark> marks, boolean areWorkers) {
        instances.entrySet().stream().limit(MAX_LISTED).forEach(entry -> {
            Instance instance = entry.getValue();
            ObjectNode json = array.addObject();
            json.put("id", entry.getKey());
            json.put("host", instance.members.isEmpty() ? null
                    : instance.members.getFirst().host().replaceFirst("^/", ""));
            json.put("version", Optional.ofNullable(marks.get(entry.getKey())).map(ProgressMark::version)
                    .filter(version -> !version.isEmpty()).map(Printable::of).orElse(null));
            json.put("lastSeen", instance.status.map(status -> DepthsReport.iso(status.atMillis())).orElse(null));
            partitions(json.putArray("partitions"), instance.members);
            if (areWorkers) {
                instance.status.ifPresent(status -> load(json, status.value()));
            }
        });
    }

    private static void partitions(ArrayNode array, List<OperatorReads.GroupMember> members) {
        Map<String, TreeSet<Integer>> byTopic = new TreeMap<>();
        members.forEach(member -> member.partitions().forEach((topic, partitions) ->
                byTopic.computeIfAbsent(topic, absent -> new TreeSet<>(Comparator.naturalOrder()))
                        .addAll(partitions)));
        byTopic.forEach((topic, partitions) -> {
            ObjectNode json = array.addObject();
            json.put("topic", topic);
            ArrayNode numbers = json.putArray("partitions");
            partitions.forEach(numbers::add);
        });
    }

    private static void load(ObjectNode json, byte[] status) {
        GenericRecord record;
        try {
            record = new RecordCodec<>(new LaneState()).decode(status);
        } catch (IllegalArgumentException undecodable) {
            return;
        }
        json.put("slots", (Long) record.get("slots"));
        json.put("possiblePerSecond", (Double) record.get("possiblePerSecond"));
        json.put("handledPerSecond", (Double) record.get("handledPerSecond"));
        json.put("hotWaiting", (Long) record.get("hotWaiting"));
    }
}
