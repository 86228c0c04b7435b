package io.spillway.kafka.advice;

import io.spillway.core.text.Printable;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Commands in messages for operators, with the options that reach this cluster, so that they can be pasted whole.
 *
 * @param bootstrapServers address of the cluster; empty if it is not known
 * @param secured          whether Kafka's tools need a file with security settings, {@value #PROPERTIES_FILE}
 * @param options          options that the user gave to this command and that the suggested one needs too; may be empty
 */
public record SuggestedCommands(String bootstrapServers, boolean secured, String options) {
    /** File for the security settings of Kafka's own tools. The user writes it; its name is in the documentation. */
    public static final String PROPERTIES_FILE = "client.properties";

    private static final Pattern SECURITY = Pattern.compile("(security|sasl|ssl)\\..*");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    /** Creates the commands for a cluster that is reached with properties of these names. */
    public SuggestedCommands(String bootstrapServers, Set<String> properties, String options) {
        this(bootstrapServers, properties.stream().anyMatch(name -> SECURITY.matcher(name).matches()), options);
    }

    /** Returns a command of Kafka's own tools, for example {@code kafka-configs.sh} with arguments. */
    public String kafka(String tool, String arguments) {
        return tool + " --bootstrap-server " + (bootstrapServers.isEmpty() ? "HOST:PORT" : quoted(bootstrapServers))
                + (secured ? " --command-config " + PROPERTIES_FILE : "") + " " + arguments;
    }

    /** Returns a command of Spillway, for example {@code topics create}. */
    public String spillway(String command) {
        return "spillway " + command + options;
    }

    /** Returns an argument of a shell command, in quotes if it needs them. */
    public static String quoted(String argument) {
        String safe = Printable.inFull(argument);
        return PLAIN.matcher(safe).matches() ? safe : "'" + safe.replace("'", "'\\''") + "'";
    }
}
