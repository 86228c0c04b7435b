package io.spillway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.embedded.RecordingAuthorizer;
import io.spillway.embedded.SecureKafka;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Permission;
import io.spillway.router.AccessRole;
import io.spillway.router.Permissions;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Spillway on a cluster with TLS, SCRAM and ACLs: each role has a user with the ACLs that {@code topics acls} prints.
 * One broker and one set of topics, which the first test uses.
 */
@Timeout(900) // Against a hang; nothing is measured.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SecuredClusterIT {
    private static final String PASSWORD = "hunter2";
    private static final int ITEMS = 20;
    /** Of moves, rules, replays, releases and aborted transactions. Kafka asks for every other one in this test. */
    private static final Set<String> NOT_IN_THIS_TRAFFIC = Set.of(
            "router WRITE on topic secured.policies", "router WRITE on topic secured.actions",
            "router WRITE on topic secured.ingress", "worker WRITE on topic secured.hot",
            "worker WRITE on topic secured.overflow", "worker WRITE on topic secured.aged",
            "worker WRITE on topic secured.delay", "worker WRITE on topic secured.dead-letter",
            "worker WRITE on topic secured.attempts", "worker DELETE on topic secured.overflow",
            "operator WRITE on topic secured.shard-requests", "operator WRITE on topic secured.dead-letter",
            "operator WRITE on transactional id secured.router-", "operator WRITE on transactional id secured.worker.");

    @TempDir
    static Path directory;

    private static SecureKafka kafka;

    @BeforeAll
    static void start() throws Exception {
        kafka = new SecureKafka(directory);
        RecordingAuthorizer.clear();
        List<AclBinding> acls = new ArrayList<>(List.of(acl(AccessRole.OPERATOR, ResourceType.CLUSTER,
                "kafka-cluster", PatternType.LITERAL, AclOperation.DESCRIBE_CONFIGS)));
        for (AccessRole role : AccessRole.values()) {
            kafka.user(role.label(), PASSWORD);
            JsonNode printed = as(role).run("topics", "acls", "--role", role.label(), "--output", "json").done().json();
            printed.forEach(permission -> permission.get("operations").forEach(operation -> acls.add(acl(role,
                    ResourceType.valueOf(permission.get("resourceType").textValue()),
                    permission.get("name").textValue(),
                    PatternType.valueOf(permission.get("patternType").textValue()),
                    AclOperation.valueOf(operation.textValue())))));
        }
        kafka.admin().createAcls(acls).all().get();
    }

    @AfterAll
    static void stop() throws Exception {
        kafka.close();
    }

    @Test
    @Order(1)
    void every_role_works_with_its_own_acls_and_is_denied_only_what_it_can_do_without() throws Exception {
        CommandsUnderTest operator = as(AccessRole.OPERATOR);
        operator.run("topics", "create").done();
        try (Shutdown shutdown = new Shutdown()) {
            run(AccessRole.ROUTER, Role.ROUTER, shutdown);
            run(AccessRole.WORKER, Role.WORKER, shutdown);
            RunningSystem gateway = run(AccessRole.GATEWAY, Role.GATEWAY, shutdown);
            operator.run("tenants", "set", "noisy", "--rate", "1", "--burst", "1").done();
            operator.run("tenants", "set", "old", "--ttl", "1m").done();
            CommandRun set = operator.run("tenants", "set", "acme", "--rate", "1000", "--tracked", "true", "--wait");
            assertThat(set.done().err()).contains("Applied by 3 running instances.");
            String key = operator.run("tenants", "key", "create", "acme", "--wait").done().out().strip();
            for (int i = 0; i < ITEMS; i++) {
                assertThat(post(gateway.gatewayUrl(), key)).isEqualTo(202);
            }
            as(AccessRole.PRODUCER).run("send", "--tenant", "acme", "--count", "" + ITEMS).done();
            for (String tenant : List.of("late", "old", "noisy")) {
                as(AccessRole.PRODUCER).run("send", "--tenant", tenant, "--age", tenant.equals("noisy") ? "1s" : "1h",
                        "--count", "5").done();
            }
            sendJunk();
            operator.run("send", "--tenant", "held", "--deliver-at", "1h").done();
            await(() -> done(operator, "acme") == 2 * ITEMS && done(operator, "late") == 5);

            operator.run("schedules", "set", "rare", "--tenant", "acme", "--every", "3650d").done();
            operator.run("audit").done();
            operator.run("explain", "--tenant", "acme").done();
            operator.run("sweep", "record", "--tenant", "acme", "--started-at", "1m").done();
            operator.run("cancel", "--tenant", "held", "--yes").done();
            String none = operator.run("dead-letters", "list", "--tenant", "nobody").done().out();
            await(() -> !operator.run("dead-letters", "list").done().out().equals(none));
            operator.run("dead-letters", "replay", "--yes").done();
            await(() -> !operator.run("dead-letters", "list").done().out().equals(none));
            operator.run("dead-letters", "discard", "--all", "--yes").done();
            operator.run("transactions", "list").done();
            assertFinds(operator.run("doctor").done(), "OK +offsets .*");
            operator.run("top").done();
            operator.run("tenants", "export").done();
            for (AccessRole role : AccessRole.values()) {
                as(role).run("topics", "check", "--role", role.label()).done();
            }
        }
        // The free space of brokers; the age of the oldest item on the console, read while items wait.
        assertThat(RecordingAuthorizer.denied()).allMatch(line -> line.endsWith(" DESCRIBE on CLUSTER kafka-cluster")
                || line.equals("gateway DESCRIBE on GROUP secured.worker"));
        assertThat(Stream.of(AccessRole.values()).flatMap(role -> unused(role).stream()))
                .isSubsetOf(NOT_IN_THIS_TRAFFIC);
    }

    @ParameterizedTest
    @EnumSource
    @Order(2)
    void one_permission_less_is_named_before_a_role_starts(AccessRole role) throws Exception {
        CommandsUnderTest commands = as(role);
        Map<String, Permission> one = new LinkedHashMap<>();
        permissions(role).forEach(permission -> permission.operations().forEach(operation -> one.put(
                permission.type() + " " + operation, new Permission(
                        permission.type(), permission.name(), permission.pattern(), Set.of(operation)))));
        for (Permission less : one.values()) {
            AclOperation operation = less.operations().iterator().next();
            AclBinding acl = acl(role, less.type(), less.name(), less.pattern(), operation);
            kafka.admin().deleteAcls(Set.of(acl.toFilter())).all().get();
            // Without DESCRIBE, Kafka does not tell which of the others are granted.
            Pattern lacks = Pattern.compile("this login lacks permissions of the role " + role.label()
                    + ": ([A-Z_]+, )*" + operation + "(, [A-Z_]+)* on " + less.resourceText() + "[^;]*"
                    + " Print the ACLs of the role with: spillway topics acls --role " + role.label() + " .*\n");
            await(() -> lacks.matcher(commands.run("topics", "check", "--role", role.label()).out()).matches());
            if (less.type() == ResourceType.TRANSACTIONAL_ID && role != AccessRole.OPERATOR
                    || role == AccessRole.GATEWAY && operation == AclOperation.WRITE) {
                assertThat(commands.run("run", "--roles", role.label(), "--data", directory.resolve("less").toString())
                        .failedWith(1)).contains("lacks permissions", operation.name(), less.name());
            }
            kafka.admin().createAcls(Set.of(acl)).all().get();
            await(() -> commands.run("topics", "check", "--role", role.label()).exitCode() == 0);
        }
    }

    @Test
    @Order(3)
    void a_command_that_is_not_authorized_names_the_resource_and_the_remedy() throws Exception {
        CommandsUnderTest stranger = as("stranger", PASSWORD, kafka.certificate());
        kafka.user("stranger", PASSWORD);
        kafka.admin().createAcls(List.of(
                acl("stranger", ResourceType.TOPIC, "secured.ingress", PatternType.LITERAL, AclOperation.DESCRIBE),
                acl("stranger", ResourceType.TOPIC, "secured.actions", PatternType.LITERAL, AclOperation.DESCRIBE),
                acl("stranger", ResourceType.TOPIC, "secured.policies", PatternType.LITERAL, AclOperation.READ)))
                .all().get();
        await(() -> stranger.run("tenants", "list").exitCode() == 0);
        assertThat(stranger.run("tenants", "set", "acme", "--rate", "1").failedWith(1))
                .as("it may write to no topic")
                .contains("secured.policies", "Kafka does not permit it: Cluster authorization failed",
                        "spillway topics acls --role");
        assertThat(stranger.run("send", "--count", "2", "--rate", "1").err()).contains(
                "2 items could not be sent: Kafka does not permit it", "spillway topics acls --role");
        // The producer itself refuses the second record, because it knows by then.
        try (CompactedTopics compacted = new CompactedTopics(stranger.configuration(), InstantSource.system())) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> compacted.write("secured.policies", "acme", new byte[0]))
                        .isInstanceOf(KafkaFailure.class)
                        .hasMessageContainingAll("secured.policies", "Kafka does not permit it");
            }
        }
        assertThat(stranger.run("depth").failedWith(1))
                .as("a topic that a login may not see").contains("is missing", "spillway topics acls --role");
        assertFinds(stranger.run("doctor"), "FAIL +permissions .*", "FAIL +topics .*", "SKIPPED +state .*need all.*");
        assertFinds(as(AccessRole.WORKER).run("doctor", "--role", "worker"),
                "OK +permissions .*", "SKIPPED +offsets .*", "OK +topics .*", "SKIPPED +state .*may read.*");
    }

    @Test
    @Order(4)
    void a_wrong_password_and_an_untrusted_certificate_are_the_cause_of_a_failed_start() throws Exception {
        String data = directory.resolve("refused").toString();
        assertThat(as("worker", "wrong", kafka.certificate()).run("run", "--roles", "worker", "--data", data)
                .failedWith(1))
                .contains("Kafka refuses the login", "invalid credentials with SASL mechanism SCRAM-SHA-512",
                        "Check sasl.mechanism and sasl.jaas.config in kafka.properties")
                .doesNotContain("wrong");
        Path other = SecureKafka.writeCertificate(
                SecureKafka.createStore(directory.resolve("other.p12")), directory.resolve("other.pem"));
        for (String role : List.of("router", "worker", "gateway")) {
            assertThat(as(role, PASSWORD, other).run("run", "--roles", role, "--data", data).failedWith(1))
                    .contains("certificate is not trusted", "ssl.truststore.location", "in kafka.properties");
        }
    }

    @Test
    @Order(5)
    void a_client_certificate_is_a_login_and_its_subject_the_principal() throws Exception {
        String subject = SecureKafka.SUBJECT;
        CommandsUnderTest client = mutual("client", kafka.clientFile());
        kafka.admin().createAcls(List.of(
                acl(subject, ResourceType.TOPIC, "secured.", PatternType.PREFIXED, AclOperation.DESCRIBE),
                acl(subject, ResourceType.TOPIC, "secured.policies", PatternType.LITERAL, AclOperation.READ)))
                .all().get();
        await(() -> client.run("tenants", "list").exitCode() == 0);
        assertThat(client.run("tenants", "set", "acme", "--rate", "1").failedWith(1))
                .contains("secured.policies", "Kafka does not permit it");

        Path own = SecureKafka.createStore(directory.resolve("unknown.p12"));
        Path unknown = SecureKafka.writeKey(own, SecureKafka.writeCertificate(own, directory.resolve("unknown.pem")));
        assertThat(mutual("unknown", unknown).run("tenants", "list").failedWith(1))
                .contains("does not accept this client's certificate", "ssl.keystore.location");
    }

    private static void assertFinds(CommandRun doctor, String... lines) {
        assertThat(lines).allSatisfy(line ->
                assertThat(doctor.outLines()).anySatisfy(found -> assertThat(found).matches(line)));
        assertThat(doctor.err()).isEqualTo("Checking ...\n");
    }

    private static Set<String> unused(AccessRole role) {
        Set<String> allowed = RecordingAuthorizer.allowed();
        Set<String> unused = new TreeSet<>();
        permissions(role).forEach(permission -> permission.operations().forEach(operation -> {
            String start = role.label() + " " + operation + " on " + permission.type() + " " + permission.name();
            if (allowed.stream().noneMatch(permission.pattern() == PatternType.LITERAL
                    ? start::equals : each -> each.startsWith(start))) {
                unused.add(role.label() + " " + operation + " on " + permission.resourceText());
            }
        }));
        return unused;
    }

    private static List<Permission> permissions(AccessRole role) {
        return Permissions.of(as(role).topics(), Map.of(), role);
    }

    private static AclBinding acl(
            AccessRole role, ResourceType type, String name, PatternType pattern, AclOperation operation) {
        return acl(role.label(), type, name, pattern, operation);
    }

    private static AclBinding acl(
            String user, ResourceType type, String name, PatternType pattern, AclOperation operation) {
        return new AclBinding(new ResourcePattern(type, name, pattern),
                new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
    }

    private static CommandsUnderTest as(AccessRole role) {
        return as(role.label(), PASSWORD, kafka.certificate());
    }

    private static CommandsUnderTest as(String user, String password, Path trusted) {
        return new CommandsUnderTest(kafka.bootstrapServers(), "secured", CommandsUnderTest.written(
                directory.resolve("config-" + user),
                CommandsUnderTest.SMALL.replace("replication: 1", "replication: 1\n  trail: 10m") + """
                        shards: {slots: 20, overlap: 1}
                        kafka:
                          properties:
                            security.protocol: SASL_SSL
                            ssl.truststore.type: PEM
                            ssl.truststore.location: %s
                            sasl.mechanism: SCRAM-SHA-512
                            sasl.jaas.config: >-
                              org.apache.kafka.common.security.scram.ScramLoginModule required
                              username="%s" password="%s";
                        """.formatted(trusted, user, password)));
    }

    private static CommandsUnderTest mutual(String name, Path clientFile) {
        return new CommandsUnderTest(kafka.mutualServers(), "secured", CommandsUnderTest.written(
                directory.resolve("config-" + name), CommandsUnderTest.SMALL + """
                        kafka:
                          properties:
                            security.protocol: SSL
                            ssl.truststore.type: PEM
                            ssl.truststore.location: %s
                            ssl.keystore.type: PEM
                            ssl.keystore.location: %s
                        """.formatted(kafka.certificate(), clientFile)));
    }

    /** What is no item becomes a dead letter. */
    private static void sendJunk() throws Exception {
        CommandsUnderTest producer = as(AccessRole.PRODUCER);
        try (Producer<byte[], byte[]> junk = new KafkaClients(producer.configuration().queue()).producer()) {
            junk.send(new ProducerRecord<>(producer.topics().ingress(), "junk".getBytes(UTF_8))).get();
        }
    }

    private static RunningSystem run(AccessRole user, Role role, Shutdown shutdown) {
        return RunningSystem.start(as(user).configuration(),
                new StartOptions(directory.resolve(user.label()), Set.of(role), false, ""), shutdown);
    }

    private static int post(String url, String key) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url + "/v1/items"))
                    .header("Authorization", "Bearer " + key)
                    .POST(HttpRequest.BodyPublishers.ofString("x")).build(),
                    HttpResponse.BodyHandlers.discarding()).statusCode();
        }
    }

    private static int done(CommandsUnderTest operator, String tenant) {
        return operator.run("depth", "--tenant", tenant, "--no-ages", "--output", "json").done().json()
                .at("/tenants/0/done").intValue();
    }

    private static void await(Supplier<Boolean> condition) {
        while (!condition.get()) {
            LockSupport.parkNanos(20_000_000);
        }
    }
}
