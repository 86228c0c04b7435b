package io.spillway.bench.handlers;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.Preload;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The worker beside a bare consumer with virtual threads, with handlers of several durations. */
@Command(
        name = "handlers", mixinStandardHelpOptions = true,
        description = "Items handled a second, beside a bare consumer at the same concurrency.")
public final class HandlersCommand implements Callable<Integer> {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Option(
            names = "--millis", split = ",", defaultValue = "0,1,10,100",
            description = "the handler sleeps, a run each (default: ${DEFAULT-VALUE})")
    private List<Integer> millis;

    @Option(
            names = "--items", split = ",", defaultValue = "1000000,500000,50000,5000",
            description = "for each of them (default: ${DEFAULT-VALUE})")
    private List<Integer> items;

    @Option(
            names = "--slots", split = ",", defaultValue = "50",
            description = "of both, one for all or one for each (default: ${DEFAULT-VALUE})")
    private List<Integer> slots;

    @Option(names = "--tenants", defaultValue = "1000", description = "tenants (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(
            names = "--limit", defaultValue = "120",
            description = "seconds after which a run has failed (default: ${DEFAULT-VALUE})")
    private int limitSeconds;

    @Option(names = "--rounds", defaultValue = "5", description = "rounds that count (default: ${DEFAULT-VALUE})")
    private int rounds;

    /** A run of a second or two is over before the compilers are. */
    @Option(
            names = "--warm-up", defaultValue = "4",
            description = "rounds before them, of the first handler alone, discarded (default: ${DEFAULT-VALUE})")
    private int warmUpRounds;

    @Option(names = "--traced", description = "also with traces, of which 1%% are sampled, beside the clean handler")
    private boolean traced;

    private record Entry(HandlingContender.Kind kind, int index) {}

    private record Run(double perSecond, int duplicates, double benchMicros, double brokerMicros, Machine.Use use) {
        double micros() {
            return benchMicros + brokerMicros;
        }
    }

    /** @param traced null without {@code --traced} */
    private record Round(Run worker, Run clean, Run traced, Run bare) {
        boolean isDisturbed() {
            return worker.use().isDisturbed() || clean.use().isDisturbed() || bare.use().isDisturbed();
        }
    }

    @Override
    public Integer call() {
        if (items.size() != millis.size() || (slots.size() != 1 && slots.size() != millis.size())) {
            System.err.println("bench: --items and --slots need one number for each of --millis");
            return 2;
        }
        List<Map<Entry, Run>> results = new ArrayList<>();
        try (Bench bench = Bench.start()) {
            System.out.printf(
                    "%,d tenants, %d partitions, items of %d bytes%n",
                    tenants, Scene.PARTITIONS, BenchItems.VALUE_BYTES);
            for (int round = 1 - warmUpRounds; round <= rounds; round++) {
                Map<Entry, Run> runs = new LinkedHashMap<>();
                for (int index = 0; index < (round > 0 ? millis.size() : 1); index++) {
                    List<HandlingContender.Kind> order = new ArrayList<>(List.of(HandlingContender.Kind.values()));
                    if (!traced) {
                        order.remove(HandlingContender.Kind.WORKER_TRACED);
                    }
                    Collections.rotate(order, round + warmUpRounds);
                    for (HandlingContender.Kind kind : order) {
                        runs.put(new Entry(kind, index), run(bench, kind, index, round));
                    }
                }
                if (round > 0) {
                    results.add(runs);
                }
            }
        }
        for (int index = 0; index < millis.size(); index++) {
            summarize(index, results);
        }
        return 0;
    }

    private int slots(int index) {
        return slots.get(slots.size() == 1 ? 0 : index);
    }

    private Run run(Bench bench, HandlingContender.Kind kind, int index, int round) {
        String load = Machine.load();
        HandlingContender.Work work = new HandlingContender.Work(items.get(index), millis.get(index));
        Machine.Use use;
        String figures;
        try (Scene scene = Scene.set(bench.admin(), bench.broker().bootstrapServers(),
                        "h%d-%d-%s".formatted(round + warmUpRounds, millis.get(index), kind), false,
                        Map.of("worker.slots", Integer.toString(slots(index))));
                Preload preload = Preload.writeRouted(scene, items.get(index), tenants);
                HandlingContender contender = kind.start(scene, slots(index), work)) {
            System.gc();
            Machine.Watch watch = bench.machine().watch();
            preload.release();
            await(work);
            use = watch.since();
            figures = contender.figures();
        }
        double scale = 1e6 / items.get(index);
        Run run = new Run(items.get(index) / work.seconds(), work.duplicates(),
                use.benchSeconds() * scale, use.brokerSeconds() * scale, use);
        System.out.printf(
                "round %d  %3d ms, %4d slots  %-13s %8.0f items/s in %6.2f s, %d duplicates, an item: CPU %5.1f +"
                        + " broker %5.1f us; load before %s, %s%s%n",
                round, millis.get(index), slots(index), kind.label(), run.perSecond(), work.seconds(),
                run.duplicates(), run.benchMicros(), run.brokerMicros(), load, use,
                round <= 0 ? "  (discarded)" : "");
        if (!figures.isEmpty()) {
            System.out.println("         " + figures);
        }
        return run;
    }

    private void await(HandlingContender.Work work) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (!work.isDone()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(work.itemsDone() + " items done in " + limitSeconds + " s");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private void summarize(int index, List<Map<Entry, Run>> results) {
        List<Round> all = results.stream()
                .map(runs -> new Round(
                        runs.get(new Entry(HandlingContender.Kind.WORKER, index)),
                        runs.get(new Entry(HandlingContender.Kind.WORKER_CLEAN, index)),
                        runs.get(new Entry(HandlingContender.Kind.WORKER_TRACED, index)),
                        runs.get(new Entry(HandlingContender.Kind.BARE, index))))
                .toList();
        String target = millis.get(index) == 0 ? "0.5" : "0.8";
        Table<Round> table = new Table<Round>("handler %d ms, %d slots, %,d items"
                        .formatted(millis.get(index), slots(index), items.get(index)))
                .line("worker, items/s", "%.0f", round -> round.worker().perSecond())
                .line(
                        "worker, handler leaves its thread clean, items/s",
                        "%.0f",
                        round -> round.clean().perSecond())
                .line("bare consumer, items/s", "%.0f", round -> round.bare().perSecond())
                .line(
                        "ratio (target %s)".formatted(target),
                        "%.2f",
                        round -> round.worker().perSecond() / round.bare().perSecond())
                .line(
                        "ratio, clean (target %s)".formatted(target),
                        "%.2f",
                        round -> round.clean().perSecond() / round.bare().perSecond())
                .line(
                        "worker, CPU + broker's, us an item",
                        "%.1f",
                        round -> round.worker().micros())
                .line(
                        "worker, clean, CPU + broker's, us an item",
                        "%.1f",
                        round -> round.clean().micros())
                .line(
                        "bare consumer, CPU + broker's, us an item",
                        "%.1f",
                        round -> round.bare().micros())
                .line(
                        "workers, items handled more than once",
                        "%.0f",
                        round -> round.worker().duplicates() + round.clean().duplicates());
        if (traced) {
            table.line("with traces, items/s, of without (target 0.98)", "%.3f",
                            round -> round.traced().perSecond() / round.clean().perSecond())
                    .line("with traces, CPU + broker's, us an item", "%.2f", round -> round.traced().micros());
        }
        table.print(all, all.stream().filter(round -> !round.isDisturbed()).toList());
    }
}
