package io.spillway.cli.diagnosis;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.LiveScreen;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.cli.terminal.Terminal;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.operator.report.QueueReader;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway top}: the state of a queue, live in a terminal. */
@Command(name = "top", footer = {
    "  spillway top",
    "  spillway top --once --output json"
}, description = {
    "Shows the state of the queue in the terminal, every second, until Ctrl-C: waiting items of each lane with the age "
            + "of the oldest, rates, forecasts, late and busy tenants, dead letters, routers and workers.",
    "Into a file or a pipe, with --once and with --output json it prints the state once. NO_COLOR=1 turns colours off. "
            + "In a narrow terminal the less important columns are left out.",
    "The age of a lane is that of the first unfinished record of its partitions, since it entered. The command reads "
            + "Kafka and needs no gateway. It writes nothing."
})
public final class TopCommand implements Runnable {
    /** The rates of lanes need two readings. */
    private static final long EVERY_MILLIS = 1_000;
    private static final List<String> QUIET = List.of("io.spillway", "org.apache.kafka");

    @Mixin
    private CommonOptions common;

    @Option(names = "--once", description = "Print the state once, as text.")
    private boolean once;

    @Override
    public void run() {
        Configuration configuration = common.configurationWithCluster(topics -> List.of(
                topics.depths(), topics.policies(), topics.laneState(), topics.demand(), topics.ingress(),
                topics.lane(Lane.HOT)));
        String title = "queue " + configuration.kafka().prefix() + " at " + configuration.kafka().bootstrapServers();
        Printer printer = common.printer();
        if (once || common.isJson() || !Terminal.isPresent()) {
            SystemState state = readTwice(configuration);
            printer.result(() -> state, to -> TopScreen.PLAIN.lines(title, state, "").forEach(to::line));
            return;
        }
        // A line of the log would break the screen. What fails is thrown, or shown by the numbers.
        QUIET.forEach(name -> setLevel(name, Level.OFF));
        try (QueueReader reader = new QueueReader(configuration, common.clock(), true);
                LiveScreen screen = LiveScreen.open(printer);
                // Ctrl-C does not wait for an answer of Kafka: nothing has to be finished.
                StopSignal stop = new StopSignal(screen::close)) {
            show(reader, screen, stop, title);
        }
    }

    private static void show(QueueReader reader, LiveScreen screen, StopSignal stop, String title) {
        SystemState state = SystemState.read(reader);
        String notice = "";
        while (!stop.isStopped()) {
            Terminal.Size size = Terminal.size(System.getenv());
            TopScreen top = new TopScreen(size.columns(), size.rows(), Terminal.isColored(System.getenv()));
            screen.draw(top.lines(title, state, notice));
            stop.pause(EVERY_MILLIS);
            try {
                state = SystemState.read(reader);
                notice = "";
            } catch (KafkaFailure | KafkaException e) {
                notice = "Old state: " + e.getMessage();
            }
        }
    }

    private SystemState readTwice(Configuration configuration) {
        try (StopSignal stop = new StopSignal();
                QueueReader reader = new QueueReader(configuration, common.clock(), true)) {
            SystemState.read(reader);
            stop.pause(EVERY_MILLIS);
            return SystemState.read(reader);
        }
    }

    private static void setLevel(String name, Level level) {
        ((Logger) LoggerFactory.getLogger(name)).setLevel(level);
    }
}
