package io.spillway.bench.comparison;

import io.spillway.bench.load.Ages;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.load.Flow;
import io.spillway.bench.load.Ledger;
import io.spillway.bench.load.LoadRun;
import io.spillway.bench.load.Traffic;
import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Machine;
import io.spillway.handler.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Steady traffic well below what the machine can do, into a queue whose handler returns at once. Only a window after
 * the warm-up counts. Looks at the broker and the machine at both ends of the window.
 */
final class CalmRun implements LoadRun.Observer {
    static final String P50 = "age at first attempt, p50, ms";
    static final String P99 = "age at first attempt, p99, ms";
    static final String MAX = "age at first attempt, max, ms";
    static final String MICROS = "processor time, us an item";
    static final String CLIENT_MICROS = "of it the client's";
    static final String BROKER_MICROS = "of it the broker's";
    static final String CORE = "share of one core, %";
    static final String CLIENT_CORE = "of it the client's, %";
    static final String BROKER_CORE = "of it the broker's, %";
    static final String TRANSACTIONS = "transactions/s";
    static final String REQUESTS = "requests/s";
    static final String LEFT = "items not done at the end";

    /** Ends each transaction, committed or aborted. */
    private static final String END_OF_TRANSACTION = "EndTxn";
    private static final int TAIL_SECONDS = 20;

    private final Bench bench;
    private final Plan plan;
    private final Traffic traffic;
    private Look from;
    private Look to;
    private Machine.Watch watch;
    private Machine.Use use;

    /**
     * What to run.
     *
     * @param rate          items a second, 0 or more
     * @param tenants       take turns
     * @param slots         handlers at one time
     * @param warmUpSeconds of the same traffic, before the window
     * @param seconds       of the window
     */
    record Plan(int rate, int tenants, int slots, int warmUpSeconds, int seconds) {}

    /** An end of the window. */
    private record Look(long atNanos, Map<String, Long> requests) {}

    private CalmRun(Bench bench, Plan plan) {
        this.bench = bench;
        this.plan = plan;
        this.traffic = new Traffic(
                List.of(Flow.steady(0, plan.tenants(), plan.rate(), 0, plan.warmUpSeconds() + plan.seconds())));
    }

    /**
     * Measures one contestant.
     *
     * @param prefix of the topics, never used before
     * @return the figures above, and requests a second by the name of their API
     */
    static PeerScenario.Result of(Bench bench, Plan plan, Contestant contestant, String prefix) {
        CalmRun observer = new CalmRun(bench, plan);
        LoadRun run = LoadRun.of(bench, new LoadRun.Plan(
                prefix, 1, plan.slots(), Map.of("worker.drainGrace", "0ms"), Map.of(), observer.traffic,
                call -> Outcome.done(), observer::isOver, plan.warmUpSeconds() + plan.seconds() + TAIL_SECONDS,
                observer), contestant);
        return new PeerScenario.Result(
                observer.figures(run.ledger()), observer.use.isDisturbed(), List.of(run.remarks()));
    }

    @Override
    public void look(Ledger ledger, QueueUnderTest queue, long atNanos) {
        if (from == null && atNanos >= Flow.nanos(plan.warmUpSeconds())) {
            from = new Look(atNanos, bench.broker().requests());
            watch = bench.machine().watch();
        } else if (to == null && atNanos >= Flow.nanos(plan.warmUpSeconds() + plan.seconds())) {
            use = watch.since();
            to = new Look(atNanos, bench.broker().requests());
        }
    }

    private boolean isOver(Ledger ledger) {
        return to != null && LoadRun.allDone(ledger, traffic);
    }

    private Map<String, Double> figures(Ledger ledger) {
        double seconds = (to.atNanos() - from.atNanos()) / 1e9;
        Map<String, Double> figures = new LinkedHashMap<>();
        if (plan.rate() > 0) {
            Ages ages = Ages.of(ledger.agesUntil(
                    Flow.nanos(plan.warmUpSeconds() + plan.seconds() + TAIL_SECONDS), tenant -> true,
                    Flow.nanos(plan.warmUpSeconds()), Flow.nanos(plan.warmUpSeconds() + plan.seconds())));
            figures.put(P50, ages.p50());
            figures.put(P99, ages.p99());
            figures.put(MAX, ages.max());
            int done = ledger.doneBetween(tenant -> true, from.atNanos(), to.atNanos());
            figures.put(MICROS, use.cpuMicros(done));
            figures.put(CLIENT_MICROS, 1e6 * use.benchSeconds() / done);
            figures.put(BROKER_MICROS, 1e6 * use.brokerSeconds() / done);
            figures.put(LEFT, (double) ledger.notDone(tenant -> true));
        }
        figures.put(CORE, 100 * (use.benchSeconds() + use.brokerSeconds()) / seconds);
        figures.put(CLIENT_CORE, 100 * use.benchSeconds() / seconds);
        figures.put(BROKER_CORE, 100 * use.brokerSeconds() / seconds);
        Map<String, Double> byApi = byApi(seconds);
        figures.put(TRANSACTIONS, byApi.getOrDefault(END_OF_TRANSACTION, 0.0));
        figures.put(REQUESTS, byApi.values().stream().mapToDouble(each -> each).sum());
        figures.putAll(byApi);
        return figures;
    }

    private Map<String, Double> byApi(double seconds) {
        Map<String, Double> perSecond = new TreeMap<>();
        to.requests().forEach((api, count) -> {
            long more = count - from.requests().getOrDefault(api, 0L);
            if (more > 0) {
                perSecond.put(api, more / seconds);
            }
        });
        return perSecond;
    }
}
