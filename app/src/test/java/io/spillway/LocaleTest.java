package io.spillway;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.spillway.cli.Main;
import io.spillway.embedded.EmbeddedKafka;
import java.io.PrintStream;
import java.text.Collator;
import java.text.DateFormat;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.MessageFormat;
import java.text.NumberFormat;
import java.text.SimpleDateFormat;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.FormatStyle;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Scanner;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** No text depends on the default locale of the machine: it may have other digits than ASCII, or an i without a dot. */
class LocaleTest {
    private static final List<String> CALLS = List.of(
            "java.lang.String.format", "java.lang.String.formatted", "java.lang.String.toLowerCase",
            "java.lang.String.toUpperCase", "java.io.PrintStream.format", "java.io.PrintStream.printf",
            "java.io.PrintWriter.format", "java.io.PrintWriter.printf", "java.io.Console.format",
            "java.io.Console.printf", "java.io.Console.readLine", "java.util.Formatter.<init>",
            "java.util.Formatter.format", "java.util.Scanner.<init>", "java.util.Calendar.getInstance",
            "java.util.Locale.getDefault", "java.util.Locale.setDefault",
            "java.time.format.DateTimeFormatter.ofPattern", "java.time.format.DateTimeFormatterBuilder.toFormatter");
    /** A localized style has no locale of its own at any call. */
    private static final String LOCALIZED = "java.time.format.DateTimeFormatter.ofLocalized";
    private static final String TEXT = "java.text.";

    private static final DescribedPredicate<JavaAccess<?>> BY_DEFAULT_LOCALE =
            describe("depends on the default locale", access -> {
                String call = access.getTargetOwner().getFullName() + "." + access.getTarget().getName();
                boolean withLocale = access.getTarget().getFullName().contains("(java.util.Locale")
                        || access.getTarget().getFullName().contains(", java.util.Locale");
                return call.startsWith(LOCALIZED)
                        || CALLS.contains(call) && (!withLocale || call.startsWith("java.util.Locale."))
                        || call.startsWith(TEXT) && !withLocale
                                && (call.endsWith(".<init>") || call.contains(".get") && call.endsWith("Instance")
                                        || call.equals("java.text.MessageFormat.format"));
            });

    @Test
    void nothing_depends_on_the_default_locale() {
        rule().check(ArchitectureTest.MAIN);
    }

    /** Checks that the rule above finds every kind of violation. */
    @Test
    void each_way_to_depend_on_it_is_noticed() {
        String report = rule().evaluate(new ClassFileImporter().importClasses(Offender.class))
                .getFailureReport().toString();
        for (String way : Arrays.stream(Offender.class.getDeclaredMethods()).map(m -> m.getName()).toList()) {
            assertThat(report).contains("Offender." + way + "(");
        }
    }

    private static ArchRule rule() {
        // They change it, for libraries.
        return noClasses().that().doNotBelongToAnyOf(Main.class, EmbeddedKafka.class)
                .should().accessTargetWhere(BY_DEFAULT_LOCALE).because("a locale is an argument, such as Locale.ROOT");
    }

    /** One method for each thing that is forbidden. */
    @SuppressWarnings("unused")
    private static final class Offender {
        String format() {
            return String.format("%d", 1);
        }

        String formatted() {
            return "%d".formatted(1);
        }

        String lower() {
            return "I".toLowerCase();
        }

        Object upperByReference() {
            UnaryOperator<String> upper = String::toUpperCase;
            return upper;
        }

        void print(PrintStream out) {
            out.printf("%d", 1);
        }

        Object formatter() {
            return new Formatter();
        }

        Object scanner() {
            return new Scanner("1");
        }

        Object pattern() {
            return DateTimeFormatter.ofPattern("yyyy");
        }

        Object localized() {
            return DateTimeFormatter.ofLocalizedDate(FormatStyle.SHORT);
        }

        Object built() {
            return new DateTimeFormatterBuilder().toFormatter();
        }

        Object number() {
            return NumberFormat.getInstance();
        }

        Object decimal() {
            return new DecimalFormat("0");
        }

        Object symbols() {
            return new DecimalFormatSymbols();
        }

        Object dates() {
            return DateFormat.getDateInstance();
        }

        Object date() {
            return new SimpleDateFormat("yyyy");
        }

        Object message() {
            return MessageFormat.format("{0}", 1);
        }

        Object order() {
            return Collator.getInstance();
        }

        Object calendar() {
            return Calendar.getInstance();
        }

        Object locale() {
            return Locale.getDefault();
        }
    }
}
