package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.schema.WorkItem;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The import table of the design, and what nobody but the composition root may do. */
class ArchitectureTest {
    private static final String ROOT = "io.spillway.";
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.spillway");
    private static final JavaClasses OFFENDERS = new ClassFileImporter().importClasses(Offender.class);

    /** Who may import whom of ours. A package that does not exist yet breaks nothing. */
    private static final Map<String, Set<String>> MAY_IMPORT = Map.ofEntries(
            Map.entry("schema", Set.of()),
            Map.entry("policy", Set.of()),
            Map.entry("engine", Set.of("policy")),
            Map.entry("handler", Set.of()),
            Map.entry("producer", Set.of("policy", "schema")),
            Map.entry("config", Set.of("policy")),
            Map.entry("topic", Set.of("config", "policy", "schema")),
            Map.entry("metrics", Set.of("config", "policy")),
            Map.entry("router", Set.of("policy", "config", "topic", "schema", "metrics")),
            Map.entry("worker", Set.of("handler", "policy", "engine", "config", "topic", "schema", "metrics")),
            Map.entry("deadletter", Set.of("policy", "config", "topic", "schema")),
            Map.entry("audit", Set.of("policy", "config", "topic", "schema", "router")),
            Map.entry("gateway", Set.of("policy", "config", "topic", "schema", "metrics")),
            Map.entry("local", Set.of("policy")),
            Map.entry("sim", Set.of("policy", "engine")),
            Map.entry("cli", Set.of("schema", "handler", "producer", "policy", "config", "topic", "metrics", "router", "worker",
                    "deadletter", "audit", "gateway", "local", "sim")));

    static Set<String> packages() {
        return new TreeSet<>(MAY_IMPORT.keySet());
    }

    @ParameterizedTest
    @MethodSource("packages")
    void a_package_imports_only_what_the_table_allows(String name) {
        String[] forbidden = MAY_IMPORT.keySet().stream()
                .filter(other -> !other.equals(name) && !MAY_IMPORT.get(name).contains(other))
                .map(ArchitectureTest::tree)
                .toArray(String[]::new);
        if (forbidden.length > 0) {
            noClasses().that().resideInAPackage(tree(name))
                    .should().dependOnClassesThat().resideInAnyPackage(forbidden)
                    .allowEmptyShould(true)
                    .check(MAIN);
        }
    }

    @Test
    void every_package_is_in_the_table() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : MAIN) {
            found.add((type.getPackageName() + ".").substring(ROOT.length()).split("\\.")[0]);
        }
        assertThat(packages()).containsAll(found);
        assertThat(found).as("the import found our classes").contains("policy", "config", "topic", "schema", "cli");
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "engine"})
    void decisions_import_only_the_jdk_and_policy_and_neither_log_nor_do_io(String name) {
        classes().that().resideInAPackage(tree(name))
                .should().onlyDependOnClassesThat(resideInAnyPackage(
                                // Of java.nio the buffers and charsets alone: its files and channels are I/O.
                                "java.lang..", "java.math", "java.util..", "java.time..", "java.nio", "java.nio.charset",
                                tree("policy"), tree(name))
                        .and(not(resideInAPackage("java.util.logging.."))))
                .check(MAIN);
        noClasses().that().resideInAPackage(tree(name))
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
    void producers_need_the_item_schema_the_tenant_hash_and_what_a_kafka_producer_has() {
        classes().that().resideInAPackage(tree("producer"))
                .should().onlyDependOnClassesThat(resideInAnyPackage(
                                "java..", "org.apache.kafka.clients.producer..", "org.apache.kafka.common..", "org.apache.avro..",
                                tree("producer"))
                        .or(belongToAnyOf(WorkItem.class, ShuffleSharder.class)))
                .check(MAIN);
    }

    @Test
    void config_needs_a_yaml_reader_and_nothing_else() {
        classes().that().resideInAPackage(tree("config"))
                .should().onlyDependOnClassesThat(resideInAnyPackage(
                        "java..", "com.fasterxml.jackson..", "org.yaml.snakeyaml..", tree("policy"), tree("config")))
                .check(MAIN);
    }

    @Test
    void there_are_no_cycles_between_packages() {
        slices().matching("io.spillway.(*)..").should().beFreeOfCycles().check(MAIN);
    }

    @Test
    void nobody_but_the_composition_root_reads_the_clock_sleeps_or_throws_dice() {
        impure(noClasses().that().resideOutsideOfPackage(tree("cli")).should()).check(MAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy", "engine"})
    void decisions_do_not_even_hold_a_clock(String name) {
        noClasses().that().resideInAPackage(tree(name))
                .should().dependOnClassesThat().areAssignableTo(InstantSource.class)
                .check(MAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"util", "utils", "common", "internal", "impl", "helper", "helpers", "misc", "shared"})
    void no_package_is_named_for_nothing(String name) {
        noClasses().should().resideInAPackage("io.spillway.." + name + "..").allowEmptyShould(true).check(MAIN);
    }

    /** A rule that finds nothing in a class that breaks it in every way would prove nothing above. */
    @Test
    void each_way_to_read_the_clock_is_noticed() {
        String report = impure(noClasses().should()).evaluate(OFFENDERS).getFailureReport().toString();
        for (String way : Arrays.stream(Offender.class.getDeclaredMethods()).map(m -> m.getName()).toList()) {
            assertThat(report).contains("Offender." + way + "(");
        }
    }

    private static ArchRule impure(ClassesShould should) {
        return should.accessTargetWhere(IMPURE).because("time and randomness are arguments (decision 23)");
    }

    private static final List<String> IMPURE_CALLS = List.of(
            "java.lang.System.currentTimeMillis", "java.lang.System.nanoTime", "java.lang.Thread.sleep",
            "java.util.concurrent.TimeUnit.sleep", "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.concurrent.locks.LockSupport.parkUntil", "java.lang.Math.random", "java.lang.StrictMath.random",
            "java.util.concurrent.ThreadLocalRandom.current", "java.time.InstantSource.system",
            "java.util.random.RandomGenerator.getDefault", "java.util.random.RandomGenerator.of");

    private static final DescribedPredicate<JavaAccess<?>> IMPURE = describe("reads the clock, sleeps or throws dice", access -> {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        boolean withoutArguments = access.getTarget().getFullName().endsWith("()");
        return IMPURE_CALLS.contains(owner.getFullName() + "." + name)
                || owner.getPackageName().equals("java.time") && name.equals("now") && !takesAClock(access)
                || owner.getFullName().equals("java.time.Clock") && (name.startsWith("system") || name.startsWith("tick"))
                || owner.isAssignableTo(RandomGenerator.class) && name.equals("<init>") && withoutArguments
                        && !owner.getFullName().equals("java.security.SecureRandom")
                || owner.getFullName().equals("java.util.Date") && name.equals("<init>") && withoutArguments;
    });

    private static boolean takesAClock(JavaAccess<?> access) {
        return access.getTarget().getFullName().contains("java.time.Clock");
    }

    private static String tree(String name) {
        return ROOT + name + "..";
    }

    /** One method for each thing that is forbidden. */
    @SuppressWarnings("unused")
    private static final class Offender {
        long millis() {
            return System.currentTimeMillis();
        }

        long nanos() {
            return System.nanoTime();
        }

        Object instant() {
            return Instant.now();
        }

        Object date() {
            return LocalDate.now();
        }

        Object oldDate() {
            return new Date();
        }

        Object clock() {
            return Clock.systemUTC();
        }

        Object zoneClock() {
            return Clock.systemDefaultZone();
        }

        Object source() {
            return InstantSource.system();
        }

        Object sourceByReference() {
            LongSupplier supplier = System::nanoTime;
            return supplier;
        }

        void sleep() throws InterruptedException {
            Thread.sleep(1);
        }

        void sleepByUnit() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
        }

        void park() {
            LockSupport.parkNanos(1);
        }

        double random() {
            return Math.random();
        }

        Object localRandom() {
            return ThreadLocalRandom.current();
        }

        Object unseeded() {
            return new Random();
        }

        Object unseededSplittable() {
            return new SplittableRandom();
        }
    }
}
