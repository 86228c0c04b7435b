package io.spillway.bench.comparison;

import io.spillway.bench.load.Ages;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.load.Flow;
import io.spillway.bench.load.Goodput;
import io.spillway.bench.load.Ledger;
import io.spillway.bench.load.LoadRun;
import io.spillway.bench.load.Traffic;
import io.spillway.bench.support.Bench;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A destination is down for a while and comes back: once that of one tenant, whose neighbours should not notice, and
 * once that of all.
 *
 * @param tenants       all at the same rate
 * @param slots         handlers at one time
 * @param handlerMillis the handler sleeps, also when it fails
 * @param load          of the slots' capacity
 * @param settleSeconds before the measuring starts, and as much again before the outage
 * @param outageSeconds of the outage
 * @param afterSeconds  after it
 * @param tailSeconds   after the last item; the run ends then with whatever is left
 */
public record OutagePeers(
        int tenants, int slots, int handlerMillis, double load, int settleSeconds, int outageSeconds, int afterSeconds,
        int tailSeconds) implements PeerScenario {
    private static final int DOWN = 0;
    private static final int WARM_UP_SECONDS = 5;

    private static final String ONE = "one down: ";
    private static final String ALL = "all down: ";
    private static final String ATTEMPTS = "attempts in the outage of the items offered";
    private static final String OTHERS_DONE = "others' items done of offered in the outage";
    private static final String OTHERS_P99 = "others' p99 in the outage, ms";
    private static final String BACK_SECONDS = "95% of normal goodput, s after the return";
    private static final String AFTER_P99 = "p99 of what is offered after the return, ms";
    private static final String LEFT = "items not done at the end";
    private static final String GIVEN_UP = "items given up";
    private static final String TWICE = "items done more than once";

    @Override
    public String title() {
        return "outage: %d tenants, %d slots, handler %d ms, %.0f items/s; down for %d s from second %d on, then %d s more"
                .formatted(tenants, slots, handlerMillis, rate(), outageSeconds, downFrom(), afterSeconds);
    }

    @Override
    public List<Figure> figures() {
        return List.of(
                new Figure(ONE + ATTEMPTS, "%.2f"),
                new Figure(ONE + OTHERS_DONE, "%.3f"),
                new Figure(ONE + OTHERS_P99, "%.1f"),
                new Figure(ONE + BACK_SECONDS, "%.0f"),
                new Figure(ONE + AFTER_P99, "%.1f"),
                new Figure(ONE + LEFT, "%.0f"),
                new Figure(ONE + GIVEN_UP, "%.0f"),
                new Figure(ONE + TWICE, "%.0f"),
                new Figure(ALL + ATTEMPTS, "%.2f"),
                new Figure(ALL + BACK_SECONDS, "%.0f"),
                new Figure(ALL + AFTER_P99, "%.1f"),
                new Figure(ALL + LEFT, "%.0f"),
                new Figure(ALL + GIVEN_UP, "%.0f"),
                new Figure(ALL + TWICE, "%.0f"));
    }

    @Override
    public List<String> charted() {
        return List.of(ONE + OTHERS_P99, ONE + AFTER_P99, ALL + AFTER_P99);
    }

    @Override
    public void warmUp(Bench bench, Contestant contestant, String prefix) {
        run(bench, contestant, prefix, tenant -> false, WARM_UP_SECONDS);
    }

    @Override
    public Result run(Bench bench, Contestant contestant, String prefix) {
        IntPredicate isDown = tenant -> tenant == DOWN;
        LoadRun one = run(bench, contestant, prefix + "o", isDown, backAt() + afterSeconds);
        LoadRun all = run(bench, contestant, prefix + "a", tenant -> true, backAt() + afterSeconds);
        Map<String, Double> figures = new LinkedHashMap<>();
        put(figures, ONE, one, isDown);
        put(figures, ALL, all, tenant -> true);
        long from = Flow.nanos(downFrom());
        long to = Flow.nanos(backAt());
        figures.put(ONE + OTHERS_DONE, (double) one.ledger().doneBetween(isDown.negate(), from, to)
                / one.ledger().offered(isDown.negate(), from, to));
        figures.put(ONE + OTHERS_P99, Ages.of(one.ledger().agesUntil(endNanos(), isDown.negate(), from, to)).p99());
        return new Result(figures, one.use().isDisturbed() || all.use().isDisturbed(),
                List.of(ONE + one.remarks(), ALL + all.remarks()));
    }

    private void put(Map<String, Double> figures, String which, LoadRun run, IntPredicate isDown) {
        Ledger ledger = run.ledger();
        long back = Flow.nanos(backAt());
        figures.put(which + ATTEMPTS, (double) ledger.callsBetween(isDown, downFrom(), backAt())
                / ledger.offered(isDown, Flow.nanos(downFrom()), back));
        figures.put(which + BACK_SECONDS, backAfterSeconds(ledger, isDown));
        figures.put(which + AFTER_P99, Ages.of(ledger.agesUntil(endNanos(), isDown, back, Long.MAX_VALUE)).p99());
        figures.put(which + LEFT, (double) ledger.notDone(tenant -> true));
        figures.put(which + GIVEN_UP, (double) run.deadLetters());
        figures.put(which + TWICE, (double) ledger.duplicates());
    }

    private double backAfterSeconds(Ledger ledger, IntPredicate isDown) {
        double normal = (double) ledger.offered(isDown, Flow.nanos(downFrom()), Flow.nanos(backAt())) / outageSeconds;
        return Goodput.backAfterSeconds(
                ledger.doneBySecond(isDown, backAt(), backAt() + afterSeconds), normal);
    }

    private LoadRun run(Bench bench, Contestant contestant, String prefix, IntPredicate isDown, int seconds) {
        Traffic traffic = new Traffic(List.of(Flow.steady(0, tenants, rate(), 0, seconds)));
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of("worker.drainGrace", "0ms"), Map.of(), traffic,
                Ledger.Behaviour.failing(handlerMillis, isDown, Flow.nanos(downFrom()), Flow.nanos(backAt())),
                ledger -> LoadRun.allDone(ledger, traffic), seconds + tailSeconds), contestant);
    }

    private double rate() {
        return load * slots * 1e3 / handlerMillis;
    }

    private int downFrom() {
        return 2 * settleSeconds;
    }

    private int backAt() {
        return downFrom() + outageSeconds;
    }

    private long endNanos() {
        return Flow.nanos(backAt() + afterSeconds + tailSeconds);
    }
}
