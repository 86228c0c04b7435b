package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicCheck;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.AccessRole;
import io.spillway.router.Permissions;
import io.spillway.runtime.RolePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway topics}: creates and checks the topics. */
@Command(name = "topics",
        description = "Creates the topics, compares them with the configuration, or prints the ACLs of a role.")
public final class TopicsCommand {
    @Command(name = "create", footer = "  spillway topics create --bootstrap-servers kafka-1:9092",
            description = "Creates missing topics, with all settings that the cluster allows, then checks all topics "
                    + "as topics check does.")
    int create(@Mixin CommonOptions common) {
        return run(common, true, List.of());
    }

    @Command(name = "check", footer = "  spillway topics check --role router",
            description = "Compares the topics and the cluster with the configuration. It exits with 1 if items could "
                    + "be lost or a role would stop. What costs something else is a warning.")
    int check(
            @Mixin CommonOptions common,
            @Option(names = "--role", paramLabel = "ROLE",
                    description = "Check also that this login has the permissions of a role: router, worker, gateway, "
                            + "operator or producer.") AccessRole role) {
        return run(common, false, Optional.ofNullable(role).stream().toList());
    }

    @Command(name = "acls", footer = "  spillway topics acls --role worker --principal User:worker", description = {
        "Prints the permissions that a login of Kafka needs for a role: router, worker, gateway, operator (commands) "
                + "or producer. It needs no cluster.",
        "With --principal it prints the commands of Kafka's tool that create the ACLs."
    })
    void acls(
            @Mixin CommonOptions common,
            @Option(names = "--role", paramLabel = "ROLE", required = true,
                    description = "Role: router, worker, gateway, operator or producer.") AccessRole role,
            @Option(names = "--principal", paramLabel = "P",
                    description = "Principal that gets the ACLs, such as User:worker.") String principal) {
        Configuration configuration = common.configuration();
        List<Permission> permissions = Permissions.of(
                new Topics(configuration.queue()), configuration.router().sourcesByName(), role);
        SuggestedCommands commands = configuration.kafka().commands("");
        common.printer().result(
                () -> permissions.stream().map(permission -> fields(permission, principal)).toList(),
                printer -> {
                    if (principal == null) {
                        printer.table(List.of("resource", "name", "pattern", "operations"), permissions.stream()
                                .map(permission -> List.of(permission.type(), permission.name(), permission.pattern(),
                                        permission.operationsText())));
                    } else {
                        permissions.forEach(permission -> printer.line(commands.kafka(
                                "kafka-acls.sh", arguments(permission, principal))));
                    }
                });
    }

    private static Map<String, Object> fields(Permission permission, String principal) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("principal", principal);
        fields.put("resourceType", permission.type());
        fields.put("name", permission.name());
        fields.put("patternType", permission.pattern());
        fields.put("operations", permission.operations());
        return fields;
    }

    private static String arguments(Permission permission, String principal) {
        return "--add --allow-principal " + SuggestedCommands.quoted(principal)
                + permission.operations().stream().map(operation -> " --operation " + name(operation))
                        .collect(Collectors.joining())
                + " --" + permission.type().name().toLowerCase(Locale.ROOT).replace("transactional_", "transactional-")
                + " " + SuggestedCommands.quoted(permission.name())
                + (permission.pattern() == PatternType.PREFIXED ? " --resource-pattern-type prefixed" : "");
    }

    /** Returns the name that Kafka's tool has for an operation, such as {@code DescribeConfigs}. */
    private static String name(AclOperation operation) {
        return Stream.of(operation.name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    private static int run(CommonOptions common, boolean isCreating, List<AccessRole> roles) {
        Configuration configuration = common.configurationWithCluster(topics -> List.of());
        List<TopicSpec> topics = new Topics(configuration.queue()).all();
        List<String> created;
        List<String> problems = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            SuggestedCommands commands = configuration.kafka().commands(common.given());
            TopicCheck check = new TopicCheck(admin, commands);
            created = isCreating ? new TopicAdmin(admin, commands).createMissing(topics) : List.of();
            roles.forEach(role -> problems.addAll(
                    RolePermissions.problems(admin, configuration, role, "", commands)));
            // A login that may not describe a topic cannot compare it.
            if (problems.isEmpty() && !roles.contains(AccessRole.PRODUCER)) {
                problems.addAll(isCreating ? List.of() : check.checkTransactions());
                TopicCheck.Findings findings = check.compare(topics);
                problems.addAll(findings.problems());
                warnings.addAll(findings.warnings());
            }
        }
        Map<String, Object> json = Map.of("created", created, "problems", problems, "warnings", warnings);
        common.printer().result(() -> json, printer -> {
            created.forEach(name -> printer.line("created " + name));
            problems.forEach(printer::line);
            warnings.forEach(warning -> printer.line("Warning: " + warning + "."));
            if (problems.isEmpty()) {
                printer.line(roles.contains(AccessRole.PRODUCER) ? "This login has the permissions of a producer."
                        : warnings.isEmpty() ? "All topics match the configuration."
                        : "All topics can be used.");
            }
        });
        return problems.isEmpty() ? 0 : CommandFailure.FAILED;
    }
}
