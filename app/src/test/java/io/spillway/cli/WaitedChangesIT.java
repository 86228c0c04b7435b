package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.operator.ActionLog;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Changes whose {@code --wait} is interrupted: each has happened. */
@Timeout(900) // Against a hang; nothing is measured.
class WaitedChangesIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void a_change_is_printed_and_in_the_action_log_when_its_wait_is_interrupted() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        commands.run("destinations", "set", "crm", "--attempt-rate", "100").done();
        String file = Files.writeString(directory.resolve("policies.yml"), "tenants: {acme: {rate: 1}}").toString();

        Map<String, List<String>> printed = Map.of(
                "tenants apply -f " + file, List.of("1 added, 0 changed, 0 removed.", "apply"),
                "destinations remove crm", List.of("Removed the destination crm.", "remove"),
                "tenants pause bolt", List.of("bolt is paused.", "pause"),
                "tenants key create bolt", List.of("spw_", "key create"));
        printed.forEach((command, expected) -> interrupted(commands, command, expected));
        interrupted(commands, "tenants remove acme", List.of("Removed the settings of acme.", "remove"));
    }

    private void interrupted(CommandsUnderTest commands, String command, List<String> expected) {
        String tenant = command.replaceFirst(".* ", "");
        CommandRun ended = interruptedAfterItsResult(
                Stream.concat(Stream.of((command + " --wait").split(" ")), Stream.of(commands.options())).toList());
        assertThat(ended.out()).contains(expected.getFirst());
        assertThat(ended.exitCode()).as("%s: it waits after that: %s", command, ended).isEqualTo(1);
        ActionLog log = new ActionLog(Integer.MAX_VALUE);
        kafka.readAll(commands.topics().actions())
                .forEach(each -> log.put(new String(each.key(), StandardCharsets.UTF_8), each.value()));
        assertThat(log.newest(1)).as(command).singleElement().satisfies(entry -> {
            assertThat(entry.action()).isEqualTo(expected.getLast());
            assertThat(entry.tenant()).endsWith(entry.action().equals("apply") ? "acme" : tenant);
        });
    }

    private static CommandRun interruptedAfterItsResult(List<String> arguments) {
        StringWriter out = new StringWriter() {
            @Override
            public void flush() {
                Thread.currentThread().interrupt();
            }
        };
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        int exitCode = line.execute(arguments.toArray(String[]::new));
        Thread.interrupted();
        return new CommandRun(exitCode, out.toString(), err.toString());
    }
}
