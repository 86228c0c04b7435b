package io.spillway.bench.comparison;

import io.spillway.bench.load.Ages;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.load.Flow;
import io.spillway.bench.load.Ledger;
import io.spillway.bench.load.LoadRun;
import io.spillway.bench.load.Traffic;
import io.spillway.bench.support.Bench;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Many quiet tenants, and one that bursts. Both runs of a round are measured over windows that are the same for all:
 * the
 * quiet traffic alone after it has settled, and the quiet traffic from the burst to its end.
 *
 * @param tenants       the noisy one among them
 * @param slots         handlers at one time
 * @param handlerMillis the handler sleeps
 * @param quietRate     items a second of all quiet tenants
 * @param settleSeconds of quiet traffic before second 0
 * @param aloneSeconds  of quiet traffic in the run without a burst
 * @param seconds       of quiet traffic in the run with it
 * @param burst         items of the noisy tenant
 * @param burstAt       second of the burst
 * @param tailSeconds   after the last quiet item; the run ends then with whatever is left
 * @param isOrdered     whether each tenant has one order key
 */
public record NeighbourPeers(
        int tenants, int slots, int handlerMillis, int quietRate, int settleSeconds, int aloneSeconds, int seconds,
        int burst, int burstAt, int tailSeconds, boolean isOrdered) implements PeerScenario {
    private static final int NOISY = 0;
    private static final IntPredicate IS_NOISY = tenant -> tenant == NOISY;
    private static final IntPredicate IS_QUIET = IS_NOISY.negate();
    private static final int WARM_UP_SECONDS = 5;
    /** A second is still disturbed when its quiet p99 is above this many times that of the run without a burst, */
    private static final double RECOVERED = 2;
    /** and above it by this: a second of 490 items has its p99 from five of them. */
    private static final double RECOVERED_MILLIS = 100;

    private static final String ALONE_P50 = "quiet p50 without the burst, ms";
    private static final String ALONE_P99 = "quiet p99 without the burst, ms";
    private static final String BESIDE_P50 = "quiet p50 with it, ms";
    private static final String BESIDE_P99 = "quiet p99 with it, ms";
    private static final String RATIO = "quiet p99, ratio";
    private static final String RECOVERY = "quiet p99 back, s after the burst";
    private static final String QUIET_LEFT = "quiet items not done at the end";
    private static final String NOISY_LEFT = "noisy items not done at the end";
    private static final String NOISY_SECONDS = "noisy done, s after the burst";
    private static final String NOISY_SHARE = "noisy throughput of the spare capacity";
    private static final String TWICE = "items done more than once";
    private static final String GIVEN_UP = "items given up";
    private static final String CPU = "CPU + broker's, us an item";

    @Override
    public String title() {
        return "neighbour: %d tenants, handler %d ms, %d slots; %d quiet items/s for %d s, %,d items at once at second %d (without the burst %d s)%s"
                .formatted(tenants, handlerMillis, slots, quietRate, seconds, burst, burstAt, aloneSeconds,
                        isOrdered ? ", an order key for each tenant" : "");
    }

    @Override
    public List<Figure> figures() {
        return List.of(new Figure(ALONE_P50, "%.1f"), new Figure(ALONE_P99, "%.1f"), new Figure(BESIDE_P50, "%.1f"),
                new Figure(BESIDE_P99, "%.1f"), new Figure(RATIO, "%.2f"), new Figure(RECOVERY, "%.0f"),
                new Figure(QUIET_LEFT, "%.0f"), new Figure(NOISY_SECONDS, "%.1f"), new Figure(NOISY_LEFT, "%.0f"),
                new Figure(NOISY_SHARE, "%.2f"), new Figure(TWICE, "%.0f"), new Figure(GIVEN_UP, "%.0f"),
                new Figure(CPU, "%.0f"));
    }

    @Override
    public List<String> charted() {
        return List.of(ALONE_P99, BESIDE_P99);
    }

    @Override
    public void warmUp(Bench bench, Contestant contestant, String prefix) {
        run(bench, contestant, prefix, WARM_UP_SECONDS, burst / 20);
    }

    @Override
    public Result run(Bench bench, Contestant contestant, String prefix) {
        LoadRun alone = run(bench, contestant, prefix + "a", aloneSeconds, 0);
        LoadRun beside = run(bench, contestant, prefix + "b", seconds, burst);
        Ages aloneAges = Ages.of(alone.ledger().agesUntil(endNanos(aloneSeconds), IS_QUIET,
                Flow.nanos(settleSeconds), Long.MAX_VALUE));
        Ages besideAges = Ages.of(quietAges(beside, burstSecond(), settleSeconds + seconds));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put(ALONE_P50, aloneAges.p50());
        figures.put(ALONE_P99, aloneAges.p99());
        figures.put(BESIDE_P50, besideAges.p50());
        figures.put(BESIDE_P99, besideAges.p99());
        figures.put(RATIO, besideAges.p99() / aloneAges.p99());
        figures.put(
                RECOVERY,
                recoverySeconds(beside, Math.max(RECOVERED * aloneAges.p99(), aloneAges.p99() + RECOVERED_MILLIS)));
        figures.put(QUIET_LEFT, (double) alone.ledger().notDone(IS_QUIET) + beside.ledger().notDone(IS_QUIET));
        figures.put(TWICE, (double) alone.ledger().duplicates() + beside.ledger().duplicates());
        figures.put(GIVEN_UP, (double) alone.deadLetters() + beside.deadLetters());
        figures.put(CPU, beside.use().cpuMicros(beside.ledger().itemsDone()));
        noisy(beside, figures);
        return new Result(
                figures,
                alone.use().isDisturbed() || beside.use().isDisturbed(),
                List.of(
                        "without: %s; %s".formatted(aloneAges, alone.remarks()),
                        "with: %s, handler %.2f ms; quiet p99 in each second %s; %s"
                                .formatted(
                                        besideAges, beside.ledger().doneInMillis(), bySecond(beside).stream()
                                                .map(Math::round)
                                                .toList(),
                                        beside.remarks())));
    }

    /**
     * Over the time it took, or to the end of the run where it was not done; what is spare is what quiet tenants leave.
     */
    private void noisy(LoadRun beside, Map<String, Double> figures) {
        long from = Flow.nanos(burstSecond());
        int left = beside.ledger().notDone(IS_NOISY);
        long to = left == 0 ? beside.ledger().lastDoneNanos(IS_NOISY) : Flow.nanos(settleSeconds + seconds);
        double perSecond = beside.ledger().doneBetween(IS_NOISY, from, to + 1) / ((to - from) / 1e9);
        figures.put(NOISY_LEFT, (double) left);
        figures.put(NOISY_SECONDS, left == 0 ? (to - from) / 1e9 : Double.POSITIVE_INFINITY);
        figures.put(NOISY_SHARE, perSecond / (slots * 1e3 / handlerMillis - quietRate));
    }

    private LoadRun run(Bench bench, Contestant contestant, String prefix, int quietSeconds, int burstItems) {
        List<Flow> flows = new ArrayList<>();
        flows.add(Flow.steady(NOISY + 1, tenants - 1, quietRate, 0, settleSeconds + quietSeconds));
        if (burstItems > 0) {
            flows.add(Flow.burst(NOISY, burstItems, Math.min(burstSecond(), settleSeconds + quietSeconds)));
        }
        Traffic traffic = new Traffic(flows, false, isOrdered);
        return LoadRun.of(bench, new LoadRun.Plan(prefix, slots, Map.of("worker.drainGrace", "0ms"), Map.of(), traffic,
                Ledger.Behaviour.sleeping(handlerMillis), ledger -> LoadRun.allDone(ledger, traffic),
                settleSeconds + quietSeconds + tailSeconds), contestant);
    }

    private Histogram quietAges(LoadRun beside, int fromSecond, int toSecond) {
        return beside.ledger().agesUntil(endNanos(seconds), IS_QUIET, Flow.nanos(fromSecond), Flow.nanos(toSecond));
    }

    private List<Double> bySecond(LoadRun beside) {
        return IntStream.range(burstSecond(), settleSeconds + seconds)
                .mapToObj(second -> Ages.of(quietAges(beside, second, second + 1)).p99())
                .toList();
    }

    /** Seconds until all that follow are below the limit; 0 when all are, infinite when the last one is not. */
    private double recoverySeconds(LoadRun beside, double limitMillis) {
        List<Double> p99s = bySecond(beside);
        int last = p99s.size();
        while (last > 0 && p99s.get(last - 1) <= limitMillis) {
            last--;
        }
        return last == p99s.size() ? Double.POSITIVE_INFINITY : last;
    }

    private int burstSecond() {
        return settleSeconds + burstAt;
    }

    private long endNanos(int quietSeconds) {
        return Flow.nanos(settleSeconds + quietSeconds + tailSeconds);
    }
}
