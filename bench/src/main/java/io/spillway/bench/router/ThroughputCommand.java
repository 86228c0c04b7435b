package io.spillway.bench.router;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.BrokerOptions;
import io.spillway.bench.support.BrokerProcess;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.Median;
import io.spillway.bench.support.Output;
import io.spillway.bench.support.Preload;
import io.spillway.bench.support.Progress;
import io.spillway.bench.support.Scene;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Preloaded items through each contender in turn, at full speed. */
@Command(
        name = "throughput", mixinStandardHelpOptions = true,
        description = "Records a second of preloaded items, in turn.")
public final class ThroughputCommand implements Callable<Integer> {
    @Mixin
    private BrokerOptions options;

    @Option(names = "--items", defaultValue = "1000000", description = "items a run (default: ${DEFAULT-VALUE})")
    private int items;

    @Option(
            names = "--tenants",
            defaultValue = "1000",
            split = ",",
            description = "tenants, each with a rate; with several numbers the router runs with each (default:"
                    + " ${DEFAULT-VALUE})")
    private List<Integer> tenants;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds that count (default: ${DEFAULT-VALUE})")
    private int rounds;

    /**
     * A round is of seconds: the compilers are at work through the first of them, for whoever has the most code the
     * longest.
     */
    @Option(
            names = "--warm-up", defaultValue = "4",
            description = "rounds before them, discarded (default: ${DEFAULT-VALUE})")
    private int warmUpRounds;

    @Option(names = "--commit-interval", defaultValue = "50", description = "milliseconds (default: ${DEFAULT-VALUE})")
    private int commitIntervalMillis;

    @Option(
            names = "--contenders", split = ",", defaultValue = "ROUTER,PASS_THROUGH,LOOP",
            description = "of ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private List<Contender.Kind> kinds;

    /** A contender with a number of tenants. */
    private record Entry(Contender.Kind kind, int tenants) {
        String label() {
            return "%s, %,d tenants".formatted(kind.label(), tenants);
        }
    }

    /** Processor time disturbs less easily than elapsed time: it is what to look at on a machine that is not idle. */
    private record Run(
            double recordsPerSecond, double benchMicros, double brokerMicros, double allocated, Machine.Use use) {
        double micros() {
            return benchMicros + brokerMicros;
        }
    }

    @Override
    public Integer call() {
        List<Entry> entries = entries();
        List<Map<Entry, Run>> results = new ArrayList<>();
        try (BrokerProcess broker = options.startBroker();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Machine machine = new Machine(broker.pid());
            System.out.printf("%,d items of %d bytes, %d partitions, %d threads, commits every %d ms%n",
                    items, BenchItems.VALUE_BYTES, Scene.PARTITIONS, Scene.THREADS, commitIntervalMillis);
            for (int round = 1 - warmUpRounds; round <= rounds; round++) {
                Map<Entry, Run> runs = new LinkedHashMap<>();
                List<Entry> order = new ArrayList<>(entries);
                // Whoever comes first meets another machine than whoever comes last.
                Collections.rotate(order, round + warmUpRounds);
                for (Entry entry : order) {
                    runs.put(entry, run(admin, machine, broker.bootstrapServers(), entry, round));
                }
                if (round > 0) {
                    results.add(runs);
                }
            }
        }
        summarize("all rounds", entries, results);
        List<Map<Entry, Run>> quiet = results.stream()
                .filter(runs -> runs.values().stream().noneMatch(run -> run.use().isDisturbed()))
                .toList();
        if (!quiet.isEmpty() && quiet.size() < results.size()) {
            summarize("undisturbed rounds", entries, quiet);
        }
        return 0;
    }

    /** Peers do not know tenants; they run once a round, with the first number. */
    private List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        for (Contender.Kind kind : kinds) {
            for (int count : kind == Contender.Kind.ROUTER ? tenants : tenants.subList(0, 1)) {
                entries.add(new Entry(kind, count));
            }
        }
        return entries;
    }

    private Run run(Admin admin, Machine machine, String bootstrapServers, Entry entry, int round) {
        String prefix = "%c%d-%d".formatted(
                (char) ('a' + round + warmUpRounds), entry.kind().ordinal(), entry.tenants());
        Progress progress = new Progress(admin);
        Machine.Use use;
        String footprint;
        String load = Machine.load();
        try (Scene scene = entry.kind() == Contender.Kind.SOURCE
                        ? Scene.ofSource(admin, bootstrapServers, prefix, commitIntervalMillis, true)
                        : Scene.set(admin, bootstrapServers, prefix, commitIntervalMillis, true);
                Preload preload = Preload.write(scene, items, entry.tenants())) {
            try (Contender contender = entry.kind().start(scene, entry.tenants())) {
                progress.awaitBalanced(contender.group());
                System.gc();
                Machine.Watch watch = machine.watch();
                preload.release();
                progress.awaitDone(scene, contender.group(), preload);
                use = watch.since();
                footprint = contender.footprint();
            }
            progress.awaitSettled(scene);
            Output output = Output.read(scene, items);
            double scale = 1e6 / items;
            Run run = new Run(
                    output.recordsPerSecond(), use.benchSeconds() * scale, use.brokerSeconds() * scale,
                    (double) use.allocated() / items, use);
            System.out.printf(
                    "round %d  %-28s %8.0f records/s in %6.3f s, a record: CPU %5.2f + broker %5.2f us, %5.0f B"
                            + " allocated; load before %s, %s%s%n",
                    round, entry.label(), output.recordsPerSecond(), output.seconds(), run.benchMicros(),
                    run.brokerMicros(), run.allocated(), load, use, round <= 0 ? "  (discarded)" : "");
            if (!footprint.isEmpty()) {
                System.out.println("         " + footprint);
            }
            return run;
        }
    }

    private static void summarize(String title, List<Entry> entries, List<Map<Entry, Run>> results) {
        System.out.printf(
                "%n%s (%d): medians, the least CPU, bytes allocated a record, and ratios (of the medians; round by"
                        + " round; of the least CPU)%n%-24s %9s %14s %6s %6s",
                title, results.size(), "", "records/s", "CPU us/record", "least", "B");
        entries.forEach(peer -> System.out.printf(" %24s", "of " + peer.label()));
        System.out.println();
        for (Entry entry : entries) {
            double rate = median(entry, results, Run::recordsPerSecond);
            System.out.printf("%-24s %9.0f %6.2f + %5.2f %6.2f %6.0f", entry.label(), rate,
                    median(entry, results, Run::benchMicros), median(entry, results, Run::brokerMicros),
                    leastMicros(entry, results), median(entry, results, Run::allocated));
            for (Entry peer : entries) {
                System.out.printf(" %24s", "%.2f; %.2f; CPU %.2f".formatted(
                        rate / median(peer, results, Run::recordsPerSecond),
                        medianRatio(entry, peer, results),
                        leastMicros(entry, results) / leastMicros(peer, results)));
            }
            System.out.println();
        }
    }

    private static double median(Entry entry, List<Map<Entry, Run>> results, ToDoubleFunction<Run> figure) {
        return Median.of(results.stream().map(runs -> figure.applyAsDouble(runs.get(entry))).toList());
    }

    private static double medianRatio(Entry entry, Entry peer, List<Map<Entry, Run>> results) {
        return Median.of(results.stream()
                .map(runs -> runs.get(entry).recordsPerSecond() / runs.get(peer).recordsPerSecond())
                .toList());
    }

    /** Others on the machine can only make a record dearer, through the caches: the least is the truest. */
    private static double leastMicros(Entry entry, List<Map<Entry, Run>> results) {
        return results.stream().mapToDouble(runs -> runs.get(entry).micros()).min().orElse(Double.NaN);
    }
}
