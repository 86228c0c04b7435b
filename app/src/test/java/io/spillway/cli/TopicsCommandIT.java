package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class TopicsCommandIT {
    private static final String ALL_MATCH = "All topics match the configuration.";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;
    private Topics topics;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        topics = commands.topics();
    }

    @Test
    void create_makes_every_topic_once_and_check_finds_all_well() throws Exception {
        List<String> names = topics.all().stream().map(TopicSpec::name).toList();

        assertThat(commands.run("topics", "check").exitCode()).as("nothing is there").isEqualTo(1);
        CommandRun first = commands.run("topics", "create").done();
        assertThat(first.outLines())
                .containsExactlyInAnyOrderElementsOf(
                        both(names.stream().map(name -> "created " + name).toList(), ALL_MATCH));
        assertThat(first.err()).isEmpty();
        assertThat(commands.run("topics", "create").done().outLines()).containsExactly(ALL_MATCH);
        assertThat(commands.run("topics", "check").done().outLines()).containsExactly(ALL_MATCH);
        assertThat(commands.run("topics", "check", "--output", "json").done().json().get("problems")).isEmpty();
        assertThat(kafka.admin().listTopics().names().get()).containsAll(names);
    }

    @Test
    void check_names_each_topic_that_does_not_fit_with_what_it_has_what_it_must_have_and_what_to_do() throws Exception {
        commands.run("topics", "create").done();
        kafka.admin().createPartitions(Map.of(topics.ingress(), NewPartitions.increaseTo(3))).all().get();
        kafka.admin().deleteTopics(List.of(topics.sweeps())).all().get();
        setRetention(topics.lane(Lane.HOT), "1000");
        setRetention(topics.demand(), "1001");
        setPolicy(topics.demand(), "compact");

        CommandRun check = commands.run("topics", "check");

        assertThat(check.exitCode()).isEqualTo(1);
        assertThat(check.outLines())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line)
                        .contains("topic " + topics.ingress(), "3 partitions", "must have 2", "topics.partitions"))
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "topic " + topics.lane(Lane.HOT), "retention.ms=1000", "must have -1",
                                "kafka-configs.sh --bootstrap-server " + kafka.bootstrapServers()
                                        + " --alter --entity-type topics --entity-name " + topics.lane(Lane.HOT)
                                        + " --add-config retention.ms=-1"))
                .contains("Warning: cleanup.policy is compact instead of compact,delete in topic " + topics.demand()
                        + ": statuses of instances that are gone stay.")
                .contains("Warning: retention.ms is 1001 instead of 3600000 in topic " + topics.demand()
                        + ": statuses or events are kept for longer or shorter.")
                .anySatisfy(line ->
                        assertThat(line).contains("topic " + topics.sweeps(), "missing", "spillway topics create"));

        CommandRun create = commands.run("topics", "create", "--output", "json");
        assertThat(create.exitCode()).as("what it may not mend is still wrong").isEqualTo(1);
        assertThat(create.json().get("created")).extracting(name -> name.textValue()).containsExactly(topics.sweeps());
        assertThat(create.json().get("problems")).hasSize(2);
        assertThat(create.json().get("warnings")).hasSize(2);
    }

    @Test
    void one_partition_is_one_partition() {
        new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(
                        directory.resolve("one"), CommandsUnderTest.SMALL.replace("partitions: 2", "partitions: 1")))
                .run("topics", "create").done();

        assertThat(commands.run("topics", "check").outLines())
                .anyMatch(line -> line.startsWith("topic " + topics.ingress() + " has 1 partition but must have 2 "));
    }

    @Test
    void more_replicas_than_the_cluster_has_are_refused_with_the_setting_to_change() throws Exception {
        CommandsUnderTest replicated = new CommandsUnderTest(
                kafka.bootstrapServers(),
                kafka.prefix(),
                CommandsUnderTest.written(
                        directory.resolve("more"),
                        CommandsUnderTest.SMALL.replace("replication: 1", "replication: 9")));

        assertThat(replicated.run("topics", "create").failedWith(1))
                .contains("replication", "topics.replication", "cannot create");
        assertThat(kafka.admin().listTopics().names().get()).noneMatch(name -> name.startsWith(kafka.prefix()));

        commands.run("topics", "create").done();
        assertThat(replicated.run("topics", "check").outLines().stream().collect(Collectors.joining("\n")))
                .startsWith("topics " + topics.ingress() + ", " + topics.lane(Lane.HOT) + ", ")
                .contains(" have 1 replica but must have 9 or more (topics.replication)");
    }

    private void setRetention(String topic, String millis) throws Exception {
        set(topic, "retention.ms", millis);
    }

    private void setPolicy(String topic, String policy) throws Exception {
        set(topic, "cleanup.policy", policy);
    }

    private void set(String topic, String key, String value) throws Exception {
        kafka.admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private static List<String> both(List<String> lines, String last) {
        return Stream.concat(lines.stream(), Stream.of(last)).toList();
    }
}
