package io.spillway;

import static org.assertj.core.api.Assertions.fail;

import io.spillway.guarantee.ChildJvm;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the {@code console} blocks of each page as they are written, and compares the output with the page.
 *
 * <ul>
 *   <li>One bash runs all blocks of a page, in a directory that holds only a link to {@code ./spillway}. The launcher
 *       runs the jar that was built: it finds no sources, so it never builds.
 *   <li>Standard error counts as output. {@link ConsolePage.Command#isMatchedBy} defines what may differ.
 *   <li>{@code ./spillway run} starts in the background. The next one, {@code rm -rf .spillway} or the end of
 *       the page stops it with SIGTERM, and it must end with status 0.
 *   <li>The default ports are replaced by free ones, in the text of the page and by environment variables.
 *   <li>Commands that only read (depth, audit, explain, list, metrics) show the effect of earlier ones with a delay:
 *       they are repeated until the output matches, for at most 30 s. All others run once.
 * </ul>
 */
@Timeout(600) // Against a hang; nothing is measured.
class DocumentedCommandsIT {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final long COMMAND_SECONDS = 120;
    private static final long REPEAT_SECONDS = 30;
    private static final Pattern RUN = Pattern.compile("(?:[A-Z_]+=\\S+ )*\\./spillway run\\b.*");
    private static final Pattern READ = Pattern.compile(
            "\\./spillway (?:depth|audit|explain|dead-letters list)\\b.*|curl -s \\S+/metrics\\b.*", Pattern.DOTALL);
    private static final String END_MARK = "end-of-command status=";

    @TempDir
    Path directory;

    private final Map<String, String> ports = new HashMap<>();
    /** Reports of commands whose output differs. The page continues after them, so that one run shows them all. */
    private final List<String> differences = new ArrayList<>();

    private Process shell;
    private BufferedWriter input;
    private Path output;
    /** Characters of the shell's output that belong to earlier commands. */
    private int consumed;
    /** Number of {@code ./spillway run} commands so far. */
    private int runs;
    private boolean isRunning;

    static Stream<ConsolePage> readme() {
        return Stream.of(ConsolePage.read(ROOT, ROOT.resolve("README.md")));
    }

    static Stream<ConsolePage> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return docs.filter(file -> file.toString().endsWith(".md")).sorted().toList().stream()
                    .map(file -> ConsolePage.read(ROOT, file)).filter(page -> !page.commands().isEmpty());
        }
    }

    @BeforeEach
    void openShell() throws IOException {
        Path installed = Files.createDirectories(directory.resolve("installed"));
        Path launcher = InstalledLauncher.in(installed);
        Files.createSymbolicLink(
                Files.createDirectories(installed.resolve("app")).resolve("target"), ROOT.resolve("app/target"));
        Path work = Files.createDirectories(directory.resolve("work"));
        Files.createSymbolicLink(work.resolve("spillway"), launcher);
        output = directory.resolve("output");

        ProcessBuilder builder = new ProcessBuilder("bash", "--norc", "--noprofile")
                .directory(work.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SPILLWAY_"));
        builder.environment().put("SPILLWAY_JAVA_OPTS", ChildJvm.launcherOptions());
        builder.environment().putAll(freePorts());
        shell = builder.start();
        input = shell.outputWriter(StandardCharsets.UTF_8);
    }

    /** Chooses the ports, all at one time so that they differ, and returns the variables that set them. */
    private Map<String, String> freePorts() throws IOException {
        InetAddress loopback = InetAddress.getByName("127.0.0.1");
        try (ServerSocket gateway = new ServerSocket(0, 1, loopback);
                ServerSocket metrics = new ServerSocket(0, 1, loopback);
                ServerSocket kafka = new ServerSocket(0, 1, loopback)) {
            ports.put("8080", Integer.toString(gateway.getLocalPort()));
            ports.put("9404", Integer.toString(metrics.getLocalPort()));
            ports.put("19092", Integer.toString(kafka.getLocalPort()));
        }
        return Map.of(
                "SPILLWAY_GATEWAY_PORT", ports.get("8080"),
                "SPILLWAY_METRICS_PORT", ports.get("9404"),
                "SPILLWAY_KAFKA_EMBEDDEDPORT", ports.get("19092"));
    }

    @AfterEach
    void killWhatIsLeft() {
        List<ProcessHandle> descendants = shell.descendants().toList();
        shell.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle descendant : descendants) {
            descendant.onExit().orTimeout(60, TimeUnit.SECONDS).join(); // it writes into the directory that is deleted
        }
    }

    @ParameterizedTest
    @MethodSource("readme")
    void the_readme_shows_what_its_commands_print(ConsolePage page) throws IOException {
        a_page_shows_what_its_commands_print(page);
    }

    @ParameterizedTest
    @MethodSource("pages")
    @Tag("long")
    void a_page_shows_what_its_commands_print(ConsolePage page) throws IOException {
        for (ConsolePage.Command written : page.commands()) {
            ConsolePage.Command command = written.replaced(this::replacePorts);
            boolean isRun = RUN.matcher(command.text()).matches();
            if (isRun || command.text().startsWith("rm -rf .spillway")) {
                stop(page);
            }
            if (isRun) {
                start(page, command);
            } else {
                check(page, command);
            }
        }
        stop(page);
        if (!differences.isEmpty()) {
            fail(String.join("\n\n", differences));
        }
    }

    private String replacePorts(String text) {
        return Pattern.compile("\\b(?:8080|9404|19092)\\b").matcher(text).replaceAll(match -> ports.get(match.group()));
    }

    private void check(ConsolePage page, ConsolePage.Command command) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(REPEAT_SECONDS);
        List<String> real = execute(page, command);
        while (!command.isMatchedBy(real)) {
            if (!READ.matcher(command.text()).matches() || System.nanoTime() - deadline > 0) {
                differences.add(report(page, command, real, "The output differs from the page."));
                return;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            real = execute(page, command);
        }
    }

    /** Runs a command in the shell, without input, and returns the lines that it printed. */
    private List<String> execute(ConsolePage page, ConsolePage.Command command) throws IOException {
        send("{ " + command.text() + "\n} </dev/null; printf '\\n" + END_MARK + "%s\\n' $?");
        if (!await(() -> !shell.isAlive() || pendingOutput().contains(END_MARK)) || !shell.isAlive()) {
            abort(report(page, command, pendingOutput().lines().toList(), "The command did not end."));
        }
        String printed = pendingOutput();
        int mark = printed.indexOf(END_MARK);
        await(() -> pendingOutput().indexOf('\n', mark) >= 0);
        consumed += pendingOutput().indexOf('\n', mark) + 1;
        return printed.substring(0, mark).lines().toList();
    }

    private void start(ConsolePage page, ConsolePage.Command command) throws IOException {
        runs++;
        isRunning = true;
        Path out = runFile("out");
        send(command.text() + " </dev/null >" + out + " 2>" + runFile("log") + " & run=$!");
        if (!await(() -> command.isMatchedBy(read(out).lines().toList()))) {
            List<String> real = read(out).lines().toList();
            abort(report(page, command, real, "It did not print this line. Its log:\n" + runLog()));
        }
    }

    /** Stops the {@code ./spillway run} in the background, if there is one. */
    private void stop(ConsolePage page) throws IOException {
        if (isRunning) {
            ConsolePage.Command kill =
                    new ConsolePage.Command(0, "kill -TERM $run; wait $run; echo status $?", List.of("status 0"));
            List<String> real = execute(page, kill);
            if (!kill.isMatchedBy(real)) {
                abort(report(page, kill, real, "`./spillway run` did not end with status 0. Its log:\n" + runLog()));
            }
            isRunning = false;
        }
    }

    /** Fails at once, with the differences found before. */
    private void abort(String report) {
        fail(String.join("\n\n", differences) + "\n\n" + report);
    }

    private void send(String script) throws IOException {
        input.write(script);
        input.newLine();
        input.flush();
    }

    private static boolean await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(COMMAND_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return true;
    }

    private String pendingOutput() {
        return read(output).substring(consumed);
    }

    private Path runFile(String kind) {
        return directory.resolve("run-" + runs + "." + kind);
    }

    private String runLog() {
        List<String> lines = read(runFile("log")).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String report(ConsolePage page, ConsolePage.Command command, List<String> real, String why) {
        return "%s:%d: %s%n%n$ %s%n%n--- the page shows%n%s%n--- the command printed%n%s%n---".formatted(
                page.name(), command.line(), why, command.text(),
                String.join("\n", command.expected()), String.join("\n", real));
    }
}
