package io.spillway.cli.tenants;

import io.spillway.core.policy.PolicyField;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Options of a command for {@link PolicyField}s. */
final class PolicyFlags {
    private PolicyFlags() {}

    /** Adds an option for each of these fields. */
    static void add(CommandSpec command, Collection<PolicyField> fields) {
        for (PolicyField field : fields) {
            command.addOption(OptionSpec.builder("--" + field.flag()).paramLabel(field.type().name())
                    .type(String.class)
                    .description(sentence(field.help()) + " Allowed: " + field.allowed() + ".")
                    .build());
        }
    }

    /** Returns the texts of the options that were given. */
    static Map<PolicyField, String> given(CommandSpec command, Collection<PolicyField> fields) {
        Map<PolicyField, String> given = new EnumMap<>(PolicyField.class);
        for (PolicyField field : fields) {
            String text = command.findOption("--" + field.flag()).getValue();
            if (text != null) {
                given.put(field, text);
            }
        }
        return given;
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + (text.endsWith(".") ? "" : ".");
    }
}
