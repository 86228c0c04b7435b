package io.spillway.bench.load;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A long run near capacity: whether all tenants are served as at the start, and nothing grows. */
@Command(
        name = "endurance", mixinStandardHelpOptions = true, sortOptions = false,
        description = {
            "A long run at a share of capacity, with 12 tenants of which 3 misbehave, at shipped defaults.",
            "Capacity is measured first: items/s that are done when half more are sent than the slots can do. The load "
                    + "counts in items with a call of --millis. Nine steady tenants have 60%% of it. One sends 20%% in "
                    + "bursts. One has 10%% with calls that take ten times as long. One has 10%% with items of which "
                    + "one in ten always fails, and one attempt in ten of the others, until two minutes before the "
                    + "last item, or after nine tenths of --minutes.",
            "Sampled every --sample while items are sent: resident memory, threads and handles of this process "
                    + "(router, worker, senders) and of the broker, metric series, stored timers, disk, topics. The "
                    + "heap is sampled after a complete collection every --collect.",
            "Verdict: the slope of a straight line through the last three quarters, with its standard error, which "
                    + "allows for samples that are alike. A quantity rises when the slope is above three errors.",
            "The disk is without dead letters and without topics that keep records for an hour: they grow by design.",
            "The segments of queues and of Kafka's own topics are smaller than shipped (--segment-mib), because the "
                    + "disk is not flat before the first segments are full: with the shipped 256 MiB after hours.",
            "SIGTERM stops the senders, waits up to 60 s for what was sent, and reports what was measured.",
            "Exit status: 0 if every item has one fate and nothing rises, 1 otherwise.",
        })
public final class EnduranceCommand implements Callable<Integer> {
    private static final int CAPACITY_LIMIT_SECONDS = 600;
    private static final double OVERLOAD = 1.5;
    private static final long STOP_SECONDS = 180;

    @Option(names = "--minutes", defaultValue = "60", description = "items are sent for (default: ${DEFAULT-VALUE})")
    private double minutes;

    @Option(names = "--load", defaultValue = "0.8", description = "share of capacity (default: ${DEFAULT-VALUE})")
    private double load;

    @Option(names = "--slots", defaultValue = "20", description = "of the worker (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(names = "--millis", defaultValue = "20", description = "the handler sleeps (default: ${DEFAULT-VALUE})")
    private int handlerMillis;

    @Option(
            names = "--capacity-seconds", defaultValue = "60",
            description = "the search for capacity lasts, of which the last half counts (default: ${DEFAULT-VALUE})")
    private int capacitySeconds;

    @Option(
            names = "--burst-every", defaultValue = "30",
            description = "seconds from one burst to the next (default: ${DEFAULT-VALUE})")
    private int burstSeconds;

    @Option(names = "--sample", defaultValue = "10", description = "seconds (default: ${DEFAULT-VALUE})")
    private int sampleSeconds;

    @Option(names = "--collect", defaultValue = "60", description = "seconds (default: ${DEFAULT-VALUE})")
    private int collectSeconds;

    @Option(
            names = "--segment-mib", defaultValue = "1",
            description = "size of segments; 0: as shipped (default: ${DEFAULT-VALUE})")
    private int segmentMebibytes;

    @Option(
            names = "--limit", defaultValue = "10",
            description = "longest time from the last item to the end, minutes (default: ${DEFAULT-VALUE})")
    private int limitMinutes;

    @Option(names = "--samples", description = "file for all samples: hours, quantity, value")
    private Path file;

    @Override
    public Integer call() throws IOException {
        CountDownLatch finished = new CountDownLatch(1);
        try (Bench bench = Bench.start()) {
            double perSecond = capacity(bench);
            int seconds = (int) Math.round(TimeUnit.MINUTES.toSeconds(1) * minutes);
            EnduranceTraffic plan = new EnduranceTraffic(load * perSecond, handlerMillis, seconds, burstSeconds);
            System.out.printf("capacity %.0f items/s, load %.0f items/s for %d s; %s%n",
                    perSecond, plan.perSecond(), seconds, "load average before " + Machine.load());
            EnduranceWatch watch = new EnduranceWatch(bench, plan, sampleSeconds, collectSeconds, segmentMebibytes);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(watch, finished), "stop"));
            try {
                LoadRun run = LoadRun.of(bench, new LoadRun.Plan(
                        "endurance", 1, slots, Map.of("defaults.agedAfter", ""), Map.of(), plan.traffic(),
                        plan.behaviour(), watch::isOver, seconds + 60 * limitMinutes, watch));
                System.out.println(run.notes());
            } finally {
                System.out.print(watch.report());
                if (file != null) {
                    Files.write(file, watch.trends().lines());
                }
            }
            List<String> rising = watch.trends().rising();
            System.out.printf("%nrising: %s%n", rising.isEmpty() ? "nothing" : String.join("; ", rising));
            return watch.isSettled() && rising.isEmpty() ? 0 : 1;
        } finally {
            finished.countDown();
        }
    }

    private double capacity(Bench bench) {
        double ideal = slots * 1e3 / handlerMillis;
        System.out.printf("%d slots, handler %d ms; at most %.0f items/s. Capacity is measured for %d s ...%n",
                slots, handlerMillis, ideal, capacitySeconds);
        Traffic traffic = new Traffic(List.of(
                Flow.steady(0, EnduranceTraffic.TENANTS, OVERLOAD * ideal, 0, capacitySeconds)));
        LoadRun run = LoadRun.of(bench, new LoadRun.Plan(
                "capacity", slots, Map.of("defaults.agedAfter", "", "worker.drainGrace", "0ms"), Map.of(), traffic,
                Ledger.Behaviour.sleeping(handlerMillis), ledger -> true, CAPACITY_LIMIT_SECONDS));
        double from = capacitySeconds / 2.0;
        return run.ledger().doneBetween(tenant -> true, Flow.nanos(from), Flow.nanos(capacitySeconds))
                / (capacitySeconds - from);
    }

    /** The end of this process waits for it, so what was measured is reported. */
    private static void stop(EnduranceWatch watch, CountDownLatch finished) {
        watch.stop();
        try {
            if (!finished.await(STOP_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("The run did not stop within " + STOP_SECONDS + " s.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
