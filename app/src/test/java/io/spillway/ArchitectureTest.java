package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.schema.WorkItem;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Allowed imports of each package, and what only the packages that assemble the parts may do. */
class ArchitectureTest {
    private static final String ROOT = "io.spillway.";
    static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.spillway");

    /**
     * Which packages each package may import, besides {@code core.text}; {@code @core} and {@code @kafka} stand for all
     * packages of that module.
     */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.ofEntries(
            row("schema"),
            row("core.text"),
            row("core.item"),
            row("core.hashing"),
            row("core.settings", "core.item"),
            row("core.policy", "core.item core.hashing core.settings handler"),
            row("core.progress", "core.item"),
            row("core.ratelimit", "core.item core.hashing core.policy"),
            row("core.overload", "core.item core.hashing core.policy core.progress"),
            row("core.routing", "core.item core.policy core.ratelimit core.overload core.settings core.sharding"),
            row("core.sharding", "core.item core.hashing"),
            row("core.scheduling", "core.item core.policy"),
            row("core.retry", "core.item core.policy core.routing core.settings handler"),
            row("core.delay", "core.policy core.retry core.routing"),
            row("core.schedule", "core.item core.hashing"),
            row("core.ledger", "core.item core.hashing core.policy core.ratelimit"),
            row(
                    "core.engine",
                    "core.item core.policy core.progress core.retry core.routing core.scheduling core.ledger handler"),
            row("handler"),
            row("producer", "core.item core.schedule core.sharding schema"),
            row("kafka.tls"),
            row("kafka.advice", "core.item"),
            row("kafka.topics", "core.item core.progress core.settings core.sharding kafka.tls kafka.advice"),
            row("kafka.periodic", "core.item core.hashing core.overload kafka.topics core.routing"),
            row("kafka.codec", "core.item core.ledger core.retry core.routing kafka.topics schema"),
            row(
                    "kafka.view",
                    "core.item core.ledger core.overload core.policy core.progress core.ratelimit core.retry"
                            + " core.routing core.schedule core.scheduling core.settings core.sharding kafka.codec"
                            + " kafka.periodic kafka.topics schema"),
            row("kafka.metrics", "core.item"),
            row("tracing"),
            row("worker", "@core handler kafka.periodic kafka.topics kafka.codec kafka.view kafka.metrics tracing"
                    + " worker.carriers worker.group worker.handlers"),
            row("embed", "@core handler kafka.advice kafka.periodic kafka.topics kafka.view tracing worker"),
            row("worker.carriers", ""),
            row("worker.group", "core.item core.sharding"),
            row("worker.handlers", "core.item core.policy core.retry core.settings handler kafka.topics kafka.codec"),
            row("config", "core.item core.overload core.policy core.retry core.settings kafka.topics worker"
                    + " worker.handlers"),
            row("router.stage", "core.item"),
            row("router.ledger", "@core @kafka router.stage"),
            row("router.route", "@core @kafka router.stage router.ledger"),
            row("router.delay", "@core @kafka router.stage router.ledger router.route"),
            row("router.shards", "@core @kafka"),
            row("cron", "core.schedule kafka.view"),
            row("router.schedules", "@core @kafka cron producer router.route router.stage"),
            row("router.source", "@core @kafka config router.route"),
            row("router.feedback", "@core @kafka router.route"),
            row(
                    "router",
                    "@core @kafka config router.stage router.ledger router.route router.delay router.shards"
                            + " router.schedules router.source router.feedback"),
            row(
                    "gateway",
                    "@core @kafka config handler operator operator.report producer schema tracing worker"
                            + " worker.handlers"),
            row("operator", "@core @kafka config deadletter producer schema audit"),
            row("operator.report", "@core @kafka config schema"),
            row("deadletter", "@core @kafka config"),
            row("audit", "@core @kafka config router.delay"),
            row("webhook", "core.item core.settings handler worker.handlers"),
            row("embedded", "core.item"),
            row("sim.scenario", "@core"),
            row("sim", "@core handler sim.scenario"),
            row("cli.terminal", "core.item core.settings"),
            row(
                    "runtime",
                    "@core @kafka config embedded gateway handler operator operator.report producer router tracing"
                            + " worker worker.handlers cli.terminal"),
            row("cli.options", "@core @kafka config operator runtime cli.terminal"),
            row("demo", "@core @kafka producer schema audit handler sim sim.scenario runtime config cli.simulate"
                    + " cli.terminal"),
            row("drill", "@core @kafka producer audit sim sim.scenario config operator.report worker cli.terminal"),
            row("cli.tenants",
                    "@core @kafka audit config cron operator operator.report runtime cli.options cli.terminal"),
            row("cli.deadletters", "@core @kafka config deadletter operator runtime cli.options cli.terminal"),
            row("cli.diagnosis", "@core @kafka config operator operator.report router runtime cli.options cli.terminal"),
            row("cli.simulate", "@core kafka.topics sim sim.scenario config cli.options cli.terminal"),
            row(
                    "cli.system",
                    "@core @kafka schema producer config audit gateway operator operator.report router demo drill sim runtime"
                            + " cli.options cli.terminal"),
            row(
                    "cli",
                    "core.item core.settings kafka.topics embedded handler operator router worker runtime cli.options"
                            + " cli.terminal cli.tenants cli.deadletters cli.diagnosis cli.simulate cli.system"));

    private static Map.Entry<String, Set<String>> row(String name, String... allowed) {
        return Map.entry(name, Set.of(("core.text " + String.join(" ", allowed)).strip().split(" +")));
    }

    static Set<String> packages() {
        return new TreeSet<>(MAY_IMPORT.keySet());
    }

    @ParameterizedTest
    @MethodSource("packages")
    void a_package_imports_only_what_the_table_allows(String name) {
        Set<String> allowed = MAY_IMPORT.get(name);
        String[] forbidden = MAY_IMPORT.keySet().stream()
                .filter(other -> !other.equals(name)
                        && !allowed.contains(other)
                        && !allowed.contains("@" + other.split("\\.")[0]))
                .map(other -> ROOT + other)
                .toArray(String[]::new);
        noClasses().that().resideInAPackage(ROOT + name)
                .should().dependOnClassesThat().resideInAnyPackage(forbidden)
                .allowEmptyShould(true)
                .check(MAIN);
    }

    @Test
    void every_package_is_in_the_table() {
        Set<String> found = MAIN.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()))
                .collect(Collectors.toSet());
        assertThat(found).isEqualTo(packages());
    }

    @Test
    void no_package_has_more_than_forty_files() {
        Map<String, Long> files = MAIN.stream()
                .filter(type -> type.isTopLevelClass() && !type.getPackageName().equals(ROOT + "schema"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(files).allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(40));
    }

    @Test
    void no_two_types_have_the_same_simple_name() {
        Map<String, List<String>> types = MAIN.stream()
                // Generated from the schemas, whose names are on the wire.
                .filter(type -> !type.getPackageName().equals(ROOT + "schema"))
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        assertThat(types).allSatisfy((name, named) -> assertThat(named).hasSize(1));
    }

    @Test
    void no_package_is_split_over_two_modules() {
        Map<String, Set<String>> modules = MAIN.stream().collect(Collectors.groupingBy(
                JavaClass::getPackageName, Collectors.mapping(ArchitectureTest::moduleOf, Collectors.toSet())));
        assertThat(modules).allSatisfy((name, found) -> assertThat(found).as(name).hasSize(1));
    }

    /** The place of a class without its own path in it: a jar, or a folder of classes. */
    private static String moduleOf(JavaClass type) {
        String uri = type.getSource().orElseThrow().getUri().toString();
        return uri.substring(0, uri.lastIndexOf(type.getPackageName().replace('.', '/')));
    }

    @Test
    void only_the_router_sees_the_stages_inside_it() {
        noClasses().that().resideOutsideOfPackages(tree("router"), ROOT + "audit")
                .should().dependOnClassesThat().resideInAPackage(ROOT + "router.*")
                .check(MAIN);
    }

    @Test
    void a_command_depends_on_no_command_but_its_parent_and_its_subcommands() {
        List<String> offences = new ArrayList<>();
        for (JavaClass type : MAIN) {
            if (!type.isAnnotatedWith(Command.class) || type.getPackageName().equals(ROOT + "cli")) {
                continue;
            }
            // Its own subcommands, and the command that it is a part of.
            List<Class<?>> own = new ArrayList<>(List.of(type.reflect().getAnnotation(Command.class).subcommands()));
            type.getFields().stream().filter(field -> field.isAnnotatedWith(ParentCommand.class))
                    .forEach(field -> own.add(field.getRawType().reflect()));
            type.getDirectDependenciesFromSelf().stream()
                    .map(each -> each.getTargetClass())
                    .filter(target -> !target.equals(type) && target.isAnnotatedWith(Command.class))
                    .filter(target -> own.stream().noneMatch(sub -> target.isEquivalentTo(sub)))
                    .filter(target -> target.getEnclosingClass().filter(type::equals).isEmpty())
                    .forEach(target -> offences.add(type.getName() + " -> " + target.getName()));
        }
        assertThat(offences).isEmpty();
    }

    @Test
    void core_imports_only_the_jdk_and_neither_logs_nor_does_io() {
        classes()
                .that()
                .resideInAPackage(tree("core"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                // Of java.nio the buffers and charsets alone: its files and channels are I/O.
                                "java.lang..",
                                "java.math",
                                "java.util..",
                                "java.time..",
                                "java.nio",
                                "java.nio.charset",
                                tree("core"),
                                // What the engine decides on, and itself of the JDK alone.
                                ROOT + "handler")
                        // URLs are values here.
                        .or(belongToAnyOf(URI.class, URISyntaxException.class, URLEncoder.class))
                        .and(not(resideInAPackage("java.util.logging.."))))
                .check(MAIN);
        noClasses().that().resideInAPackage(tree("core"))
                .should().dependOnClassesThat().areAssignableTo(System.Logger.class)
                .check(MAIN);
    }

    @Test
    void users_compile_handlers_against_the_jdk_alone() {
        classes().that().resideInAPackage(tree("handler"))
                .should().onlyDependOnClassesThat(resideInAnyPackage("java..", tree("handler")))
                .check(MAIN);
    }

    @Test
    void producers_need_the_item_schema_its_limits_the_tenant_hash_and_what_a_kafka_producer_has() {
        classes()
                .that()
                .resideInAPackage(tree("producer"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "java..",
                                "org.apache.kafka.clients.producer..",
                                "org.apache.kafka.common..",
                                "org.apache.avro..",
                                tree("producer"))
                        .or(belongToAnyOf(
                                WorkItem.class, ShuffleSharder.class, ItemLimits.class, DeliveryWindow.class)))
                .check(MAIN);
    }

    @Test
    void config_needs_a_yaml_reader_and_nothing_else() {
        classes()
                .that()
                .resideInAPackage(tree("config"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "com.fasterxml.jackson..",
                        "org.yaml.snakeyaml..",
                        tree("core"),
                        tree("config"),
                        ROOT + "kafka.topics",
                        tree("worker")))
                .check(MAIN);
    }

    @Test
    void there_are_no_cycles_between_packages() {
        slices().matching("io.spillway.(**)").should().beFreeOfCycles().check(MAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"util", "utils", "common", "internal", "impl", "helper", "helpers", "misc", "shared"})
    void no_package_has_a_name_without_meaning(String name) {
        noClasses().should().resideInAPackage("io.spillway.." + name + "..").allowEmptyShould(true).check(MAIN);
    }

    private static String tree(String name) {
        return ROOT + name + "..";
    }
}
