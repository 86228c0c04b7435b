package io.spillway.operator.report;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Demands;
import io.spillway.kafka.view.ProgressMark;
import io.spillway.schema.LaneState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/**
 * Routers with their sources, workers, also embedded ones, and gateways, from their statuses on compacted topics and
 * the members of the groups. Those whose last status is older than {@value #ALIVE_MILLIS} ms, and that are in no
 * group, are left out. Its components are the JSON fields.
 *
 * @param asOf           time in ISO 8601
 * @param gatewayVersion version of the gateway that tells it; empty for none
 */
public record Instances(
        String asOf, String gatewayVersion, List<Instance> routers, List<Instance> workers, List<Instance> gateways,
        List<SourceState> sources) {
    /** Longer than three idle intervals of any status. */
    static final long ALIVE_MILLIS = 10_000;
    private static final int MAX_LISTED = 1_000;

    /**
     * Running instance.
     *
     * @param host     null if it is in no group
     * @param version  null if it names none
     * @param lastSeen time of its last status in ISO 8601; null without one
     * @param load     of a worker; null without a readable status
     */
    public record Instance(
            String id, String host, String version, String lastSeen, List<Assigned> partitions,
            @JsonUnwrapped Load load) {}

    /** Partitions of a topic, ascending. */
    public record Assigned(String topic, Set<Integer> partitions) {}

    /** Status of a worker. */
    public record Load(long slots, double possiblePerSecond, double handledPerSecond, long hotWaiting) {}

    /**
     * Returns the instances at a time.
     *
     * @param sources read by the caller, for whom they are
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    static Instances read(
            Topics topics, OperatorReads reads, List<SourceState> sources, String gatewayVersion, long nowMillis) {
        Map<String, OperatorReads.Latest> demand = reads.latest(topics.demand());
        // Every instance follows the policies.
        Map<String, ProgressMark> marks = reads.marks(topics.policies());
        return new Instances(
                QueueState.iso(nowMillis), gatewayVersion,
                list(statuses(demand, Demands.Role.ROUTER), reads.members(topics.routerGroup()),
                        topics.routerGroup() + "-", marks, false, nowMillis),
                list(reads.latest(topics.laneState()), reads.members(topics.workerGroup()),
                        topics.workerGroup() + ".", marks, true, nowMillis),
                list(statuses(demand, Demands.Role.GATEWAY), List.of(), "", marks, false, nowMillis),
                sources);
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

    private static List<Instance> list(
            Map<String, OperatorReads.Latest> statuses, Collection<OperatorReads.GroupMember> members,
            String clientPrefix, Map<String, ProgressMark> marks, boolean areWorkers, long nowMillis) {
        TreeMap<String, List<OperatorReads.GroupMember>> found = new TreeMap<>();
        statuses.forEach((name, latest) -> {
            if (nowMillis - latest.atMillis() <= ALIVE_MILLIS) {
                found.put(name, new ArrayList<>());
            }
        });
        for (OperatorReads.GroupMember member : members) {
            if (member.clientId().startsWith(clientPrefix)) {
                // Kafka Streams appends the number of the thread.
                String name = member.clientId().substring(clientPrefix.length())
                        .replaceFirst("-StreamThread-.*", "");
                found.computeIfAbsent(name, absent -> new ArrayList<>()).add(member);
            }
        }
        return found.entrySet().stream().limit(MAX_LISTED).map(each -> {
            Optional<OperatorReads.Latest> status = Optional.ofNullable(statuses.get(each.getKey()))
                    .filter(latest -> nowMillis - latest.atMillis() <= ALIVE_MILLIS);
            List<OperatorReads.GroupMember> own = each.getValue();
            return new Instance(
                    each.getKey(), own.isEmpty() ? null : own.getFirst().host().replaceFirst("^/", ""),
                    Optional.ofNullable(marks.get(each.getKey())).map(ProgressMark::version)
                            .filter(version -> !version.isEmpty()).map(Printable::of).orElse(null),
                    status.map(latest -> QueueState.iso(latest.atMillis())).orElse(null), partitions(own),
                    status.filter(latest -> areWorkers).flatMap(latest -> load(latest.value())).orElse(null));
        }).toList();
    }

    private static List<Assigned> partitions(List<OperatorReads.GroupMember> members) {
        Map<String, Set<Integer>> byTopic = new TreeMap<>();
        members.forEach(member -> member.partitions().forEach((topic, partitions) ->
                byTopic.computeIfAbsent(topic, absent -> new TreeSet<>()).addAll(partitions)));
        return byTopic.entrySet().stream().map(topic -> new Assigned(topic.getKey(), topic.getValue())).toList();
    }

    private static Optional<Load> load(byte[] status) {
        try {
            GenericRecord record = new RecordCodec<>(new LaneState()).decode(status);
            return Optional.of(new Load(
                    (Long) record.get("slots"), (Double) record.get("possiblePerSecond"),
                    (Double) record.get("handledPerSecond"), (Long) record.get("hotWaiting")));
        } catch (IllegalArgumentException undecodable) {
            return Optional.empty();
        }
    }
}
