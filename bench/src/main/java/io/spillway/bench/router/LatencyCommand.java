package io.spillway.bench.router;

import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.BrokerProcess;
import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.Median;
import io.spillway.bench.support.Progress;
import io.spillway.bench.support.Scene;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Items at a steady rate, from when each should have been sent to when a reader of committed records has it. */
@Command(
        name = "latency", mixinStandardHelpOptions = true,
        description = "End-to-end latency at a steady rate, in turn.")
public final class LatencyCommand implements Callable<Integer> {
    private static final double MILLI = 1e6;
    private static final List<Contender.Kind> KINDS = List.of(Contender.Kind.ROUTER, Contender.Kind.PASS_THROUGH);

    @Option(names = "--rate", defaultValue = "2000", description = "items a second (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--seconds", defaultValue = "30",
            description = "a run; the first third is discarded (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Option(
            names = "--tenants", defaultValue = "1000",
            description = "tenants, each with a rate (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--rounds", defaultValue = "3", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--commit-intervals", split = ",", defaultValue = "20,50,100",
            description = "milliseconds (default: ${DEFAULT-VALUE})")
    private List<Integer> commitIntervalsMillis;

    private record Entry(Contender.Kind kind, int intervalMillis) {}

    private record Run(double p50, double p99, double max, Machine.Use use) {
        static Run of(Histogram histogram, Machine.Use use) {
            return new Run(
                    histogram.getValueAtPercentile(50) / MILLI,
                    histogram.getValueAtPercentile(99) / MILLI,
                    histogram.getMaxValue() / MILLI,
                    use);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        List<Map<Entry, Run>> results = new ArrayList<>();
        try (BrokerProcess broker = BrokerProcess.start(Duration.ZERO);
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Machine machine = new Machine(broker.pid());
            System.out.printf(
                    "%,d items/s of %d bytes for %d s, %,d tenants%n", rate, BenchItems.VALUE_BYTES, seconds, tenants);
            for (int round = 0; round <= rounds; round++) {
                // The first is for the compilers: one interval is enough.
                List<Integer> intervals = round == 0 ? commitIntervalsMillis.subList(0, 1) : commitIntervalsMillis;
                Map<Entry, Run> runs = new LinkedHashMap<>();
                for (int interval : intervals) {
                    List<Contender.Kind> order = new ArrayList<>(KINDS);
                    Collections.rotate(order, round);
                    for (Contender.Kind kind : order) {
                        Entry entry = new Entry(kind, interval);
                        runs.put(entry, run(admin, machine, broker.bootstrapServers(), entry, round));
                    }
                }
                if (round > 0) {
                    results.add(runs);
                }
            }
        }
        for (int interval : commitIntervalsMillis) {
            summarize(interval, results);
        }
        return 0;
    }

    private Run run(Admin admin, Machine machine, String bootstrapServers, Entry entry, int round)
            throws InterruptedException {
        String prefix = "l%d-%s-%d".formatted(round, entry.kind().label(), entry.intervalMillis());
        String load = Machine.load();
        try (Scene scene = Scene.set(admin, bootstrapServers, prefix, entry.intervalMillis(), false);
                Contender contender = entry.kind().start(scene, tenants)) {
            new Progress(admin).awaitBalanced(contender.group());
            System.gc();
            Machine.Watch watch = machine.watch();
            Histogram histogram = measure(scene);
            Run run = Run.of(histogram, watch.since());
            System.out.printf(
                    "round %d  %3d ms  %-12s  p50 %7.2f ms  p99 %7.2f ms  max %7.2f ms  load before %s, %s%s%n",
                    round,
                    entry.intervalMillis(),
                    entry.kind().label(),
                    run.p50(),
                    run.p99(),
                    run.max(),
                    load,
                    run.use(),
                    round == 0 ? "  (discarded)" : "");
            return run;
        }
    }

    private Histogram measure(Scene scene) throws InterruptedException {
        long total = (long) rate * seconds;
        Receiver receiver = new Receiver(scene);
        try (receiver;
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(ClientSettings.bytes(scene, Map.of(
                        ProducerConfig.ACKS_CONFIG, "all",
                        ProducerConfig.LINGER_MS_CONFIG, 0)))) {
            receiver.awaitReady();
            producer.partitionsFor(scene.input());
            BenchItems items = new BenchItems(tenants);
            long start = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100);
            receiver.countFrom(start + TimeUnit.SECONDS.toNanos(seconds) / 3);
            for (long i = 0; i < total; i++) {
                long intended = start + i * TimeUnit.SECONDS.toNanos(1) / rate;
                for (long wait = intended - System.nanoTime(); wait > 0; wait = intended - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                BenchItems.Item item = items.next(Instant.now(), intended);
                producer.send(new ProducerRecord<>(scene.input(), item.key(), item.value()));
            }
            producer.flush();
            Progress.await(total + " items in " + scene.output(), () -> receiver.received() >= total);
        }
        if (receiver.received() != total) {
            throw new IllegalStateException(receiver.received() + " items came out where " + total + " went in");
        }
        return receiver.histogram();
    }

    private void summarize(int interval, List<Map<Entry, Run>> results) {
        Entry router = new Entry(Contender.Kind.ROUTER, interval);
        Entry peer = new Entry(Contender.Kind.PASS_THROUGH, interval);
        List<Map<Entry, Run>> quiet = results.stream()
                .filter(runs -> !runs.get(router).use().isDisturbed() && !runs.get(peer).use().isDisturbed())
                .toList();
        System.out.printf("%ncommits every %d ms: median of all %d rounds%n", interval, results.size());
        compare(router, peer, results);
        if (!quiet.isEmpty() && quiet.size() < results.size()) {
            System.out.printf("commits every %d ms: median of the %d undisturbed rounds%n", interval, quiet.size());
            compare(router, peer, quiet);
        }
    }

    private static void compare(Entry router, Entry peer, List<Map<Entry, Run>> results) {
        line("p50", Run::p50, router, peer, results);
        line("p99", Run::p99, router, peer, results);
        line("max", Run::max, router, peer, results);
    }

    private static void line(
            String name, ToDoubleFunction<Run> figure, Entry router, Entry peer, List<Map<Entry, Run>> results) {
        double ours = median(figure, router, results);
        double theirs = median(figure, peer, results);
        double byRound = Median.of(results.stream()
                .map(runs -> figure.applyAsDouble(runs.get(router)) / figure.applyAsDouble(runs.get(peer)))
                .toList());
        System.out.printf("  %s  router %7.2f ms  pass-through %7.2f ms  ratio %.2f (by round %.2f)%n",
                name, ours, theirs, ours / theirs, byRound);
    }

    private static double median(ToDoubleFunction<Run> figure, Entry entry, List<Map<Entry, Run>> results) {
        return Median.of(results.stream().map(runs -> figure.applyAsDouble(runs.get(entry))).toList());
    }
}
