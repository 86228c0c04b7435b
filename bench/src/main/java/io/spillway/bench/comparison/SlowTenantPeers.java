package io.spillway.bench.comparison;

import io.spillway.bench.load.Ages;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.load.Flow;
import io.spillway.bench.load.Ledger;
import io.spillway.bench.load.LoadRun;
import io.spillway.bench.load.Traffic;
import io.spillway.bench.support.Bench;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * One tenant's handler becomes slow while its rate stays. No tenant has a cap of its own: the product's defaults.
 *
 * @param tenants       the slow one among them, all at the same rate
 * @param slots         handlers at one time
 * @param handlerMillis the handler sleeps
 * @param slowMillis    that of the slow tenant from the change on
 * @param load          of the slots' capacity before the change
 * @param settleSeconds before the measuring starts
 * @param beforeSeconds measured before the change
 * @param afterSeconds  measured after it
 * @param tailSeconds   after the last item; the run ends then with whatever is left
 */
public record SlowTenantPeers(
        int tenants, int slots, int handlerMillis, int slowMillis, double load, int settleSeconds, int beforeSeconds,
        int afterSeconds, int tailSeconds) implements PeerScenario {
    private static final int SLOW = 0;
    private static final IntPredicate OTHERS = tenant -> tenant != SLOW;
    private static final int WARM_UP_SECONDS = 5;

    private static final String BEFORE_P50 = "others' p50 before, ms";
    private static final String BEFORE_P99 = "others' p99 before, ms";
    private static final String AFTER_P50 = "others' p50 after, ms";
    private static final String AFTER_P99 = "others' p99 after, ms";
    private static final String RATIO = "others' p99, ratio";
    private static final String LEFT = "others' items not done at the end";
    private static final String AT_ONCE = "slow tenant's handlers at once, most";
    private static final String TWICE = "items done more than once";
    private static final String GIVEN_UP = "items given up";
    private static final String CPU = "CPU + broker's, us an item";

    @Override
    public String title() {
        return "slow-tenant: %d tenants, %d slots, %.0f items/s, handler %d ms, that of one tenant %d ms from second %d on, for %d s"
                .formatted(tenants, slots, rate(), handlerMillis, slowMillis, changeSecond(), afterSeconds);
    }

    @Override
    public List<Figure> figures() {
        return List.of(
                new Figure(BEFORE_P50, "%.1f"), new Figure(BEFORE_P99, "%.1f"), new Figure(AFTER_P50, "%.1f"),
                new Figure(AFTER_P99, "%.1f"), new Figure(RATIO, "%.2f"), new Figure(LEFT, "%.0f"),
                new Figure(AT_ONCE, "%.0f"), new Figure(TWICE, "%.0f"), new Figure(GIVEN_UP, "%.0f"),
                new Figure(CPU, "%.0f"));
    }

    @Override
    public List<String> charted() {
        return List.of(BEFORE_P99, AFTER_P99);
    }

    @Override
    public void warmUp(Bench bench, Contestant contestant, String prefix) {
        run(bench, contestant, prefix, Integer.MAX_VALUE, WARM_UP_SECONDS);
    }

    @Override
    public Result run(Bench bench, Contestant contestant, String prefix) {
        int seconds = changeSecond() + afterSeconds;
        LoadRun run = run(bench, contestant, prefix, changeSecond(), seconds);
        Ledger ledger = run.ledger();
        long change = Flow.nanos(changeSecond());
        long end = Flow.nanos(seconds + tailSeconds);
        Ages before = Ages.of(ledger.agesUntil(end, OTHERS, Flow.nanos(settleSeconds), change));
        Ages after = Ages.of(ledger.agesUntil(end, OTHERS, change, Long.MAX_VALUE));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(BEFORE_P50, before.p50());
        figures.put(BEFORE_P99, before.p99());
        figures.put(AFTER_P50, after.p50());
        figures.put(AFTER_P99, after.p99());
        figures.put(RATIO, after.p99() / before.p99());
        figures.put(LEFT, (double) ledger.notDone(OTHERS));
        figures.put(AT_ONCE, (double) ledger.mostInUse(SLOW));
        figures.put(TWICE, (double) ledger.duplicates());
        figures.put(GIVEN_UP, (double) run.deadLetters());
        figures.put(CPU, run.use().cpuMicros(ledger.itemsDone()));
        return new Result(figures, run.use().isDisturbed(), List.of(run.remarks()));
    }

    private LoadRun run(Bench bench, Contestant contestant, String prefix, int slowFromSecond, int seconds) {
        Traffic traffic = new Traffic(List.of(Flow.steady(SLOW, tenants, rate(), 0, seconds)));
        long slowFromNanos = Flow.nanos(slowFromSecond);
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of("worker.drainGrace", "0ms"), Map.of(), traffic,
                Ledger.Behaviour.slowing(handlerMillis, SLOW, slowMillis, slowFromNanos),
                ledger -> ledger.notDone(OTHERS) == 0, seconds + tailSeconds), contestant);
    }

    private double rate() {
        return load * slots * 1e3 / handlerMillis;
    }

    private int changeSecond() {
        return settleSeconds + beforeSeconds;
    }
}
