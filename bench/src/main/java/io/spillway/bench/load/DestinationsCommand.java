package io.spillway.bench.load;

import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Scene;
import io.spillway.core.settings.Durations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Destinations that fail: attempts, dead letters and moves that it costs, and how soon work is back. */
@Command(
        name = "destinations", mixinStandardHelpOptions = true, sortOptions = false,
        description = {
            "Destinations that are down, fail or hang: what it costs, and how soon work is back.",
            "Router and workers run at shipped defaults, except for what the options name. The failing tenants share "
                    + "one destination, the others have another. Failures are Outcome.retry, and the same attempts of "
                    + "the same items fail in every run.",
            "A run: --well seconds without a fault, the fault (--down or --for), then more traffic for 30 s, and after "
                    + "--down for 1.25 times the ideal time longer. It ends when each item is done or a dead letter, "
                    + "or --limit after the last one was sent. Then the ledger is audited.",
            "Backlog: items that the failing tenants sent before the return and that were done after it. Its ideal "
                    + "time: backlog / (workers x slots / mean duration of a call that succeeded - items/s of all "
                    + "tenants).",
            "Goodput is back in the first second with 95%% of what the failing tenants offer a second, from which on "
                    + "the average is 95%% too. Others' p99: age at the first attempt of the items sent in the last "
                    + "two thirds of --well, and in the fault. Delay records and moves are those of the ledger; end "
                    + "offsets include the markers of transactions.",
        })
public final class DestinationsCommand implements Callable<Integer> {
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int PROGRESS_LINES = 40;

    @Option(
            names = "--workers", split = ",", defaultValue = "1",
            description = "workers, a run each (default: ${DEFAULT-VALUE})")
    private List<Integer> workers;

    @Option(names = "--slots", defaultValue = "50", description = "of each worker (default: ${DEFAULT-VALUE})")
    private int slots;

    @Option(names = "--tenants", defaultValue = "1000", description = "tenants (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--rate", defaultValue = "0.2", description = "items/s of a tenant (default: ${DEFAULT-VALUE})")
    private double rate;

    @Option(
            names = "--millis", defaultValue = "0",
            description = "the handler sleeps, also when it fails (default: as long as a fifth of all slots is busy)")
    private int handlerMillis;

    @Option(
            names = "--down-tenants",
            description = "tenants whose destination fails (default: all; 1 with --hang and --always-fail)")
    private Integer failing;

    @Option(names = "--down-rate", description = "items/s of each of these (default: that of --rate)")
    private Double failingRate;

    @Option(names = "--down", description = "all their attempts fail, for example 60s, 5m or 1h")
    private String down;

    @Option(names = "--fail", description = "share of their attempts that fail", defaultValue = "0")
    private double fail;

    @Option(names = "--poison", description = "share of their items that fail for good", defaultValue = "0")
    private double poison;

    @Option(names = "--always-fail", description = "all their items fail for good; it ends by --retry-for")
    private boolean alwaysFail;

    @Option(names = "--hang", description = "their calls take 60 s; a call times out after 30 s")
    private boolean hang;

    @Option(
            names = "--for", defaultValue = "3m",
            description = "duration of the fault without --down (default: ${DEFAULT-VALUE})")
    private String duration;

    @Option(names = "--retry-for", description = "defaults.retryFor (default: the product's)")
    private String retryFor;

    @Option(
            names = "--well", defaultValue = "30",
            description = "seconds before the fault (default: ${DEFAULT-VALUE})")
    private int wellSeconds;

    @Option(
            names = "--warm-up", defaultValue = "20",
            description = "seconds of a run before, discarded (default: ${DEFAULT-VALUE})")
    private int warmUpSeconds;

    @Option(
            names = "--limit", defaultValue = "10m",
            description = "longest time from the last item to the end (default: ${DEFAULT-VALUE})")
    private String limit;

    @Option(names = "--rounds", defaultValue = "1", description = "rounds (default: ${DEFAULT-VALUE})")
    private int rounds;

    /** What a run has shown while it went on. Used by the thread that drives it. */
    private static final class Watch implements LoadRun.Observer {
        private final Traffic traffic;
        private final long lineNanos;
        private long nextSampleNanos;
        private long nextLineNanos;
        private long peakWaiting;
        private int dead;
        private Accounts accounts;

        Watch(Traffic traffic, int seconds) {
            this.traffic = traffic;
            this.lineNanos = Flow.nanos(Math.max(10, seconds / PROGRESS_LINES));
        }

        @Override
        public void look(Ledger ledger, QueueUnderTest queue, long atNanos) {
            if (atNanos < nextSampleNanos) {
                return;
            }
            nextSampleNanos = atNanos + SAMPLE_NANOS;
            dead = queue.givenUp();
            int done = ledger.itemsDone();
            int sent = ledger.offered(tenant -> true, 0, atNanos);
            peakWaiting = Math.max(peakWaiting, sent - done - dead);
            if (atNanos >= nextLineNanos) {
                nextLineNanos = atNanos + lineNanos;
                System.out.printf("         %5d s: %,d sent, %,d done, %,d dead, %,d waiting, %,d attempts%n",
                        atNanos / SAMPLE_NANOS, sent, done, dead, sent - done - dead, ledger.calls());
            }
        }

        @Override
        public void end(Scene scene) {
            accounts = Accounts.of(scene);
        }

        boolean isOver(Ledger ledger) {
            return ledger.itemsDone() + dead >= traffic.items();
        }
    }

    @Override
    public Integer call() {
        Map<Integer, List<FaultFigures>> results;
        try (Bench bench = Bench.start()) {
            FaultPlan first = plan(workers.getFirst());
            run(bench, "warm", first, new Watch(first.traffic(warmUpSeconds), warmUpSeconds), warmUpSeconds);
            results = Rounds.of(rounds, workers, (round, count) -> {
                FaultPlan plan = plan(count);
                System.out.printf(
                        "round %d  %d workers of %d slots; %s; well for %d s, fault for %d s, then %d s; %s%n",
                        round, count, slots, traffic(plan), wellSeconds, plan.faultSeconds(), plan.afterSeconds(),
                        settings().isEmpty() ? "shipped defaults" : settings());
                Watch watch = new Watch(plan.traffic(plan.seconds()), plan.seconds());
                LoadRun run = run(bench, "d%d-%d".formatted(round, count), plan, watch, plan.seconds());
                FaultFigures figures = FaultFigures.of(plan, run, watch.accounts, watch.peakWaiting);
                System.out.printf("%s         %s%n", figures, run.notes());
                return figures;
            });
        }
        List<FaultFigures> all = results.values().stream().flatMap(List::stream).toList();
        System.out.printf("%n%s", FaultFigures.table(all));
        return all.stream().allMatch(FaultFigures::isSettled) ? 0 : 1;
    }

    private LoadRun run(Bench bench, String prefix, FaultPlan plan, Watch watch, int seconds) {
        Map<String, String> more = new HashMap<>(settings());
        // The bench's own default is longer.
        more.put("defaults.agedAfter", "");
        Fault fault = new Fault(
                plan.failing(), down == null ? fail : 1, alwaysFail ? 1 : poison, hang,
                Flow.nanos(wellSeconds), Flow.nanos(plan.backSecond()), plan.handlerMillis());
        Ledger.Behaviour behaviour = seconds == plan.seconds() ? fault : Ledger.Behaviour.sleeping(fault.millis());
        return LoadRun.of(bench, new LoadRun.Plan(
                prefix, plan.workers(), slots, more, Map.of(), plan.traffic(seconds), behaviour, watch::isOver,
                seconds + seconds(limit), watch));
    }

    private FaultPlan plan(int count) {
        int some = failing != null ? failing : hang || alwaysFail ? 1 : tenants;
        return FaultPlan.of(
                count, slots, tenants, rate, some, failingRate == null ? rate : failingRate, handlerMillis,
                wellSeconds, seconds(down == null ? duration : down), down != null);
    }

    private Map<String, String> settings() {
        return retryFor == null ? Map.of() : Map.of("defaults.retryFor", retryFor);
    }

    private static String traffic(FaultPlan plan) {
        return "%d tenants of %s/s, of which %d with %s/s fail; %.1f items/s in all, handler %d ms".formatted(
                plan.tenants(), plan.rate(), plan.failing(), plan.failingRate(), plan.perSecond(),
                plan.handlerMillis());
    }

    private static int seconds(String text) {
        return Math.toIntExact(TimeUnit.MILLISECONDS.toSeconds(Durations.parseMillis(text)));
    }
}
