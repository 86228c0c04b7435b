package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.overload.WorkerReport;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LaneStates;
import io.spillway.kafka.view.ProgressMark;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class InstancesTest {
    private static final long NOW = 1_800_000_000_000L;

    private final Topics topics = new Topics(
            ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final FakeReads reads = new FakeReads();

    @Test
    void a_worker_has_the_load_of_its_status_and_the_partitions_of_its_group() {
        loads("w1", NOW - 2_000);
        reads.marks.put("w1", new ProgressMark(NOW, "1.2.0"));
        member(topics.workerGroup(), topics.workerGroup() + ".w1", Map.of("hot", List.of(3, 1), "aged", List.of(2)));

        JsonNode worker = json().at("/workers/0");
        assertThat(worker.toString()).isEqualTo(
                "{\"id\":\"w1\",\"host\":\"10.0.0.1\",\"version\":\"1.2.0\",\"lastSeen\":\""
                + Instant.ofEpochMilli(NOW - 2_000) + "\",\"partitions\":[{\"topic\":\"aged\",\"partitions\":[2]},"
                + "{\"topic\":\"hot\",\"partitions\":[1,3]}],\"slots\":50,\"possiblePerSecond\":100.0,"
                + "\"handledPerSecond\":20.5,\"hotWaiting\":7}");
    }

    @Test
    void threads_of_a_router_are_one_instance() {
        status("r1", NOW - 1);
        member(topics.routerGroup(), topics.routerGroup() + "-r1-StreamThread-1-consumer", Map.of("in", List.of(0)));
        member(topics.routerGroup(), topics.routerGroup() + "-r1-StreamThread-2-consumer", Map.of("in", List.of(1)));

        JsonNode routers = json().get("routers");
        assertThat(routers).hasSize(1);
        assertThat(routers.at("/0/id").textValue()).isEqualTo("r1");
        assertThat(routers.at("/0/version").isNull()).as("it names none").isTrue();
        assertThat(routers.at("/0/partitions").toString()).isEqualTo("[{\"topic\":\"in\",\"partitions\":[0,1]}]");
    }

    @Test
    void roles_are_told_apart_by_their_keys() {
        status("a", NOW);
        status("gateway/a", NOW);
        status("worker/a", NOW);
        JsonNode json = json();
        assertThat(json.get("routers")).extracting(each -> each.get("id").textValue()).containsExactly("a");
        assertThat(json.get("gateways")).extracting(each -> each.get("id").textValue()).containsExactly("a");
        assertThat(json.get("workers")).isEmpty();
        assertThat(json.get("gatewayVersion").textValue()).isEqualTo("1.2.3");
    }

    @Test
    void an_instance_whose_last_status_is_old_is_gone_unless_it_is_in_the_group() {
        status("old", NOW - Instances.ALIVE_MILLIS - 1);
        status("fresh", NOW - Instances.ALIVE_MILLIS);
        member(topics.routerGroup(), topics.routerGroup() + "-silent-StreamThread-1-consumer", Map.of());
        JsonNode routers = json().get("routers");
        assertThat(routers).extracting(each -> each.get("id").textValue()).containsExactly("fresh", "silent");
        assertThat(routers.at("/1/lastSeen").isNull()).isTrue();
    }

    @Test
    void a_status_that_cannot_be_decoded_shows_the_instance_without_its_load() {
        reads.put(topics.laneState(), "w1", new byte[] {1, 2}, NOW);
        assertThat(json().at("/workers/0/id").textValue()).isEqualTo("w1");
        assertThat(json().at("/workers/0").has("slots")).isFalse();
    }

    @Test
    void sources_are_listed_with_their_problems() {
        reads.sources = List.of(new SourceState("orders", "shop.orders", "json", 4, 0, 12, "no router reads it"));
        assertThat(json().get("sources").toString()).isEqualTo("[{\"name\":\"orders\",\"topic\":\"shop.orders\","
                + "\"format\":\"json\",\"partitions\":4,\"readers\":0,\"lag\":12,"
                + "\"problem\":\"no router reads it\"}]");
    }

    private JsonNode json() {
        return new JsonMapper().valueToTree(Instances.read(topics, reads, reads.sources, "1.2.3", NOW));
    }

    private void loads(String worker, long atMillis) {
        reads.put(topics.laneState(), worker, new LaneStates(() -> Instant.ofEpochMilli(atMillis))
                .encode(worker, new WorkerReport(50, 100, 100, 20.5, 7, 3, Map.of())), atMillis);
    }

    private void status(String member, long atMillis) {
        reads.put(topics.demand(), member, new byte[0], atMillis);
    }

    private void member(String group, String clientId, Map<String, List<Integer>> partitions) {
        List<OperatorReads.GroupMember> before = reads.members(group);
        OperatorReads.GroupMember member = new OperatorReads.GroupMember(clientId, "/10.0.0.1", partitions);
        reads.groups.put(group, Stream.concat(before.stream(), Stream.of(member))
                .toList());
    }
}
