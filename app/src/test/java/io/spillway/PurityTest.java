package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShould;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Time and randomness are arguments: only what puts the parts together reads a clock, sleeps or draws numbers. */
class PurityTest {
    private static final String ROOT = "io.spillway.";
    private static final JavaClasses OFFENDERS = new ClassFileImporter().importClasses(Offender.class);

    @Test
    void only_what_puts_the_parts_together_reads_the_clock_sleeps_or_draws_random_numbers() {
        impure(noClasses()
                        .that()
                        .resideOutsideOfPackages(tree("cli"), tree("demo"), tree("embed"), tree("runtime"))
                        .should())
                .check(ArchitectureTest.MAIN);
    }

    @Test
    void core_holds_no_clock() {
        noClasses().that().resideInAPackage(tree("core"))
                .should().dependOnClassesThat().areAssignableTo(InstantSource.class)
                .check(ArchitectureTest.MAIN);
    }

    /** Checks that the rules above find every kind of violation. */
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

    private static final DescribedPredicate<JavaAccess<?>> IMPURE =
            describe("reads the clock, sleeps or draws random numbers", access -> {
                JavaClass owner = access.getTargetOwner();
                String name = access.getTarget().getName();
                boolean withoutArguments = access.getTarget().getFullName().endsWith("()");
                return IMPURE_CALLS.contains(owner.getFullName() + "." + name)
                        || owner.getPackageName().equals("java.time") && name.equals("now") && !takesAClock(access)
                        || owner.getFullName().equals("java.time.Clock")
                                && (name.startsWith("system") || name.startsWith("tick"))
                        || owner.isAssignableTo(RandomGenerator.class)
                                && name.equals("<init>")
                                && withoutArguments
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
