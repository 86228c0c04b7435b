package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.ChildJvm;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commands that a signal ends, each in its own JVM. */
@Timeout(900) // Against a hang; nothing is measured.
class InterruptIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();
    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
    }

    @Test
    void ctrl_c_ends_send_with_130_and_the_number_of_items_that_were_sent() throws Exception {
        Process send = start("send", "--count", "100000", "--rate", "20");
        awaitIngress();
        signal("INT", send.pid());

        assertThat(send.waitFor()).isEqualTo(130);
        String out = text(send);
        int stored = kafka.readAll(commands.topics().ingress()).size();
        assertThat(out).matches("(?s)Sent " + stored + " of 100,000 items to \\S+ in .* s, then stopped\\.\n");
    }

    @Test
    void ctrl_c_ends_send_also_while_it_waits_for_input() throws Exception {
        Process send = start("send", "--file", "-", "--output", "json");
        send.getOutputStream().write("{\"payload\":\"x\"}\n".getBytes(StandardCharsets.UTF_8));
        send.getOutputStream().flush();
        awaitIngress();
        long startNanos = System.nanoTime();
        signal("INT", send.pid());

        assertThat(send.waitFor()).isEqualTo(130);
        assertThat(System.nanoTime() - startNanos).as("ns; it does not wait for a line").isLessThan(20_000_000_000L);
        assertThat(text(send)).contains("\"sent\":1", "\"stopped\":true");
    }

    @Test
    void run_ends_with_130_after_ctrl_c_and_with_0_after_sigterm() {
        try (SpillwayProcess running =
                SpillwayProcess.start(directory.resolve("one"), Map.of(), commands.routerOptions())) {
            running.signal("INT");
            assertThat(running.awaitEnd()).isEqualTo(130);
        }
        try (SpillwayProcess running =
                SpillwayProcess.start(directory.resolve("two"), Map.of(), commands.routerOptions())) {
            assertThat(running.stop()).isZero();
        }
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(SpillwayProcess.interruptible());
        command.addAll(ChildJvm.command());
        command.add("io.spillway.cli.Main");
        command.addAll(List.of(arguments));
        command.addAll(List.of(commands.options()));
        Process process = new ProcessBuilder(command).redirectError(directory.resolve("err").toFile()).start();
        started.add(process);
        return process;
    }

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private void awaitIngress() {
        while (kafka.readAll(commands.topics().ingress()).isEmpty()) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static void signal(String name, long pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor()).isZero();
    }

    private static String text(Process ended) throws IOException {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(ended.getInputStream(), StandardCharsets.UTF_8))) {
            return String.join("\n", out.lines().toList()) + "\n";
        }
    }
}
