package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.TopicSpec;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What can be known before a process joins a group is checked before, and all problems are reported at once. */
@Timeout(900) // Against a hang; nothing is measured.
class StartChecksIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    /** Handler that counts how many of it are open. */
    public static final class Counted implements Handler {
        static final AtomicInteger MADE = new AtomicInteger();
        static final AtomicInteger OPEN = new AtomicInteger();

        public Counted() {
            MADE.incrementAndGet();
            OPEN.incrementAndGet();
        }

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }

        @Override
        public void close() {
            OPEN.decrementAndGet();
        }
    }

    /** Handler that cannot be made. */
    public static final class Broken implements Handler {
        public Broken() {
            throw new IllegalStateException("no licence");
        }

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }
    }

    @Test
    void all_problems_are_in_one_list_and_no_group_is_joined() throws Exception {
        try (ServerSocket metrics = taken(); ServerSocket gateway = taken()) {
            CommandsUnderTest commands = configured("metrics:\n  port: " + metrics.getLocalPort()
                    + "\ngateway:\n  port: " + gateway.getLocalPort()
                    + "\n  tls: {certificateFile: /none/c.pem, keyFile: /none/k.pem}\nhandler:\n"
                    + "  type: class\n  class: " + Broken.class.getName() + "\nrouter:\n  stateDir: "
                    + Files.writeString(directory.resolve("state"), "a file") + "\n");
            commands.run("topics", "create").done();
            kafka.admin().deleteTopics(List.of(commands.topics().sweeps())).all().get();
            Path notADirectory = Files.writeString(directory.resolve("file"), "");

            assertThat(commands.run("run", "--data", notADirectory.toString()).failedWith(1))
                    .contains("7 problems", "(1) ", "(7) ")
                    .contains("Cannot use data directory " + notADirectory)
                    .contains("127.0.0.1:" + metrics.getLocalPort() + " for metrics", "metrics.port")
                    .contains("127.0.0.1:" + gateway.getLocalPort() + " for the gateway", "gateway.port")
                    .contains("gateway.tls.certificateFile", "router.stateDir")
                    .contains("topic " + commands.topics().sweeps() + " is missing")
                    .contains("handler.class = " + Broken.class.getName() + ": cannot be created", "no licence");
            assertNoGroups(commands);
        }
    }

    @Test
    void a_port_of_the_gateway_in_use_is_found_before_the_router_and_the_worker_join() throws Exception {
        try (ServerSocket gateway = taken()) {
            CommandsUnderTest commands = configured("metrics:\n  port: 0\ngateway:\n  port: " + gateway.getLocalPort()
                    + "\nhandler:\n  type: class\n  class: " + Counted.class.getName() + "\n");
            commands.run("topics", "create").done();
            int made = Counted.MADE.get();

            assertThat(commands.run("run", "--data", directory.resolve("data").toString()).failedWith(1))
                    .contains("127.0.0.1:" + gateway.getLocalPort(), "gateway.port", "Address already in use")
                    .doesNotContain("problems");
            assertNoGroups(commands);
            assertThat(Counted.MADE.get()).as("the handler was tried").isEqualTo(made + 1);
            assertThat(Counted.OPEN.get()).as("and closed").isZero();
        }
    }

    @Test
    void one_port_in_two_settings_is_a_problem() throws Exception {
        int free;
        try (ServerSocket socket = taken()) {
            free = socket.getLocalPort();
        }
        CommandsUnderTest commands = configured("metrics:\n  port: " + free + "\ngateway:\n  port: " + free + "\n");
        commands.run("topics", "create").done();

        assertThat(commands.run("run", "--roles", "gateway", "--data", directory.resolve("data").toString())
                        .failedWith(1))
                .contains("127.0.0.1:" + free + " for the gateway", "gateway.port");
    }

    @Test
    void a_handler_that_cannot_be_made_or_has_no_topic_is_found_before_the_router_joins() throws Exception {
        CommandsUnderTest broken = configured(
                "metrics:\n  port: 0\nhandler:\n  type: class\n  class: " + Broken.class.getName() + "\n");
        broken.run("topics", "create").done();
        String data = directory.resolve("data").toString();
        assertThat(broken.run("run", "--roles", "router,worker", "--data", data).failedWith(1))
                .contains("handler.class", "no licence");
        assertNoGroups(broken);

        CommandsUnderTest without = configured("metrics:\n  port: 0\nhandler:\n  type: kafka\n  kafka:\n    topic: "
                + kafka.prefix() + ".none\n");
        assertThat(without.run("run", "--roles", "router,worker", "--data", data).failedWith(1))
                .contains("handler.kafka.topic = " + kafka.prefix() + ".none: is missing");
        assertNoGroups(without);
    }

    @Test
    void a_second_instance_with_more_replicas_than_the_cluster_has_is_told_the_setting() throws Exception {
        CommandsUnderTest commands = configured("metrics:\n  port: 0\n");
        commands.run("topics", "create").done();
        CommandsUnderTest second = new CommandsUnderTest(
                kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(
                        directory.resolve("second"), "topics:\n  partitions: 2\nmetrics:\n  port: 0\n"));

        String error = second.run("run", "--roles", "router", "--data", directory.resolve("data").toString())
                .failedWith(1);
        assertThat(error)
                .contains(commands.topics().ingress(), "1 replica", "the cluster has 1 broker",
                        "Set topics.replication: 1 (or SPILLWAY_TOPICS_REPLICATION=1)")
                .as("it is the only problem").doesNotContain("more problem")
                .as("that would stop all writes").doesNotContain("min.insync.replicas");
        assertThat(second.run("topics", "check").outLines()).hasSize(1);
        assertThat(new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix() + "x", second.config())
                        .run("topics", "create").failedWith(1))
                .contains("the cluster has 1 broker", "Set topics.replication: 1");
    }

    @Test
    void one_cause_in_all_topics_is_told_with_a_count_and_three_of_them() throws Exception {
        CommandsUnderTest commands = configured("metrics:\n  port: 0\n");
        commands.run("topics", "create").done();
        for (TopicSpec topic : commands.topics().all()) {
            set(topic.name(), "unclean.leader.election.enable", "true");
        }
        Logger logger = (Logger) LoggerFactory.getLogger("io.spillway.runtime");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            assertThat(commands.run("run", "--roles", "router", "--data", directory.resolve("data").toString())
                            .failedWith(1))
                    .contains("unclean.leader.election.enable=true")
                    .contains("(and " + (commands.topics().all().size() - 1) + " more problems; see: spillway topics");
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list).filteredOn(event -> event.getLevel() == Level.ERROR).hasSize(2);
        assertThat(commands.run("topics", "check").outLines()).hasSameSizeAs(commands.topics().all());
    }

    @Test
    void a_suggested_command_can_be_pasted_whole() throws Exception {
        CommandsUnderTest commands = configured("metrics:\n  port: 0\n");
        String given = "--config " + commands.config() + " --bootstrap-servers " + kafka.bootstrapServers()
                + " --prefix " + kafka.prefix();
        assertThat(commands.run("run", "--roles", "router").failedWith(1))
                .contains("spillway topics create " + given, "spillway topics check " + given);
        assertThat(commands.run("tenants", "list").failedWith(1)).contains("spillway topics create " + given);

        commands.run("topics", "create").done();
        set(commands.topics().lane(Lane.HOT), "retention.ms", "1000");
        set(commands.topics().laneState(), "cleanup.policy", "delete");
        List<String> problems = commands.run("topics", "check").outLines();
        assertThat(problems)
                .anyMatch(line -> line.endsWith("kafka-configs.sh --bootstrap-server " + kafka.bootstrapServers()
                        + " --alter --entity-type topics --entity-name " + commands.topics().lane(Lane.HOT)
                        + " --add-config retention.ms=-1"))
                .as("the tool reads commas only in brackets, which a shell would expand")
                .anyMatch(line -> line.endsWith(" --add-config 'cleanup.policy=[compact,delete]'"));
        CommandsUnderTest secured = configured(
                "metrics:\n  port: 0\nkafka:\n  properties:\n    security.protocol: PLAINTEXT\n");
        assertThat(secured.run("topics", "check").outLines()).anyMatch(
                line -> line.contains(kafka.bootstrapServers() + " --command-config client.properties --alter"));
    }

    private void set(String topic, String key, String value) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        kafka.admin().incrementalAlterConfigs(Map.of(resource, List.of(
                new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)))).all().get();
    }

    private void assertNoGroups(CommandsUnderTest commands) throws Exception {
        List<String> groups = new ArrayList<>();
        kafka.admin().listGroups().all().get().forEach(group -> groups.add(group.groupId()));
        assertThat(groups).doesNotContain(commands.topics().routerGroup(), commands.topics().workerGroup());
    }

    private CommandsUnderTest configured(String more) {
        return new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(), CommandsUnderTest.written(
                directory.resolve("config" + more.hashCode()), "topics:\n  partitions: 2\n  replication: 1\n" + more));
    }

    private static ServerSocket taken() throws Exception {
        return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    }
}
