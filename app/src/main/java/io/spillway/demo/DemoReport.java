package io.spillway.demo;

import static io.spillway.cli.terminal.Printer.number;

import io.spillway.cli.terminal.ChartFile;
import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.demo.DemoTally.Counts;
import io.spillway.demo.DemoTally.Waits;
import io.spillway.sim.scenario.Window;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Report of the {@code demo} command: tables, findings, an audit and a chart.
 *
 * @param spillway   statistics of the handlers of Spillway
 * @param fifo       statistics of the handlers of the FIFO queue
 * @param samples    one a second
 * @param audited    balances of all tenants, with the items counted in the topics
 */
public record DemoReport(
        DemoScenario scenario, DemoTally spillway, DemoTally fifo, List<Sample> samples, List<AuditedTenant> audited) {
    private static final String FIFO = "FIFO queue";
    private static final int BINS = 80;
    private static final double MILLIS_PER_SECOND = 1_000;

    /**
     * State at one time.
     *
     * @param waiting items in each lane by the ledger, about a second old
     * @param fifo    items that the FIFO queue has not started
     */
    record Sample(double seconds, Map<ItemState, Long> waiting, long fifo) {}

    /** Returns whether the balances are correct and match the items in the topics. */
    public boolean isBalanced() {
        return audited.stream().allMatch(tenant -> tenant.findings().isEmpty());
    }

    /** Returns the results for JSON. */
    public Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        Map<String, Object> quiet = new LinkedHashMap<>();
        scenario.script().phases().forEach(phase -> quiet.put(phase.name(),
                Map.of("spillway", spillway.waits(phase.window()), "fifo", fifo.waits(phase.window()))));
        map.put("quiet", quiet);
        Map<String, Object> audit = new LinkedHashMap<>(states());
        audit.putAll(Map.of("balanced", isBalanced(), "tenants", audited.size(), "sent", scenario.sent(any -> true),
                "accepted", sum(any -> true, TenantBalance::accepted)));
        map.put("audit", audit);
        map.put("findings", findings());
        return map;
    }

    /** Prints the results for people. */
    public void print(Printer printer) {
        printer.line("");
        printer.line("Waiting time of the quiet tenants' items, from when one was due until its handler started:");
        printer.table(List.of("", "items", "Spillway p50", "p99", "FIFO p50", "p99"),
                scenario.script().phases().stream().map(phase -> {
                    Waits ours = spillway.waits(phase.window());
                    Waits theirs = fifo.waits(phase.window());
                    return List.of(phase.name(), number(ours.items()), age(ours.p50Millis()), age(ours.p99Millis()),
                            age(theirs.p50Millis()), age(theirs.p99Millis()));
                }));
        printer.line("FIFO: a plain consumer with as many threads, at the same time on the same items.");
        printer.line("");
        printer.line("Findings of this run:");
        findings().forEach(finding -> printer.line("- " + finding));
        printer.line("");
        printer.line(audit());
    }

    /** Returns findings as sentences that depend on the results, also where these are worse for Spillway. */
    List<String> findings() {
        List<String> findings = new ArrayList<>();
        findings.add("While disturbed, 99% of the quiet items waited at most " + compared("during", Waits::p99Millis));
        findings.add("Before, half of them waited at most " + compared("before", Waits::p50Millis));
        findings.add(noisy());
        findings.add("While its destination took 2 s per item, slow held at most " + of(DemoScenario.SLOW, spillway)
                .mostRunning() + " slots in Spillway and " + of(DemoScenario.SLOW, fifo).mostRunning() + " in the "
                + FIFO + ".");
        findings.add("The sweep dropped " + number(in(ItemState.DROPPED, DemoScenario.SWEPT::equals))
                + " obsolete items of swept. The FIFO queue handled " + number(of(DemoScenario.SWEPT, fifo).done())
                + " of all " + number(scenario.sent(DemoScenario.SWEPT::equals)) + ".");
        findings.add("The poison pill was tried " + Printer.count(of(DemoScenario.POISONED, spillway).failed(), "time")
                + (in(ItemState.DEAD_LETTER, DemoScenario.POISONED::equals) == 1 ? " and is" : " and is not yet")
                + " a dead letter. The " + FIFO + " lost it after "
                + Printer.count(of(DemoScenario.POISONED, fifo).failed(), "time") + ".");
        return findings;
    }

    private String compared(String phase, Function<Waits, Long> figure) {
        return compared(figure.apply(spillway.waits(scenario.phase(phase))),
                figure.apply(fifo.waits(scenario.phase(phase))));
    }

    /** Returns the end of a sentence about two times. */
    private static String compared(long oursMillis, long theirsMillis) {
        double ours = Math.max(1, oursMillis);
        double theirs = Math.max(1, theirsMillis);
        double times = Math.max(ours, theirs) / Math.min(ours, theirs);
        return age(oursMillis) + ", and " + age(theirsMillis) + " in the " + FIFO + ": "
                + (times < 1.15 ? "about the same."
                        : String.format(Locale.ROOT, times < 10 ? "Spillway was %.1f times %s."
                                : "Spillway was %,.0f times %s.", times, ours > theirs ? "slower" : "faster"));
    }

    private String noisy() {
        long floodMillis = scenario.flood().fromMillis();
        return "All " + number(scenario.sent(DemoScenario.NOISY::equals)) + " items of noisy were done this long after"
                + " its flood began: " + compared(of(DemoScenario.NOISY, spillway).lastDoneMillis() - floodMillis,
                        of(DemoScenario.NOISY, fifo).lastDoneMillis() - floodMillis);
    }

    private String audit() {
        return "Audit: accepted " + number(sum(any -> true, TenantBalance::accepted)) + " = "
                + states().entrySet().stream().filter(state -> state.getValue() != 0)
                        .map(state -> state.getKey() + " " + number(state.getValue()))
                        .collect(Collectors.joining(" + "))
                + (isBalanced() ? ". All " + audited.size() + " balances match the topics."
                        : ". Some of the " + audited.size() + " balances do NOT match the topics.");
    }

    /** Returns the items of all tenants by state. */
    private Map<String, Long> states() {
        Map<String, Long> states = new LinkedHashMap<>();
        Stream.of(ItemState.values()).filter(state -> state != ItemState.OUTSIDE)
                .forEach(state -> states.put(state.label(), in(state, any -> true)));
        return states;
    }

    private long in(ItemState state, Predicate<String> tenants) {
        return sum(tenants, balance -> balance.in(state));
    }

    private long sum(Predicate<String> tenants, ToLongFunction<TenantBalance> figure) {
        return audited.stream().filter(tenant -> tenants.test(tenant.tenant())).map(AuditedTenant::after)
                .mapToLong(figure).sum();
    }

    private static Counts of(String tenant, DemoTally tally) {
        return tally.sum(tenant::equals);
    }

    static String age(Long millis) {
        return millis == null ? "-" : DurationText.of(millis);
    }

    /** Returns the charts of the waiting times of quiet items and of the backlogs, of both queues. */
    public List<ChartFile.Panel> charts() {
        List<ChartFile.Line> depths = new ArrayList<>();
        depths.add(ChartFile.Line.of(FIFO, samples, Sample::seconds, Sample::fifo));
        ItemState.WAITING.forEach(lane -> depths.add(ChartFile.Line.of(
                lane.label(), samples, Sample::seconds, sample -> sample.waiting().get(lane))));
        return List.of(
                panel("Quiet tenants: 99th percentile of the waiting time of items due at this time (between the"
                        + " vertical lines: the flood)", "milliseconds", true,
                        List.of(overTime(FIFO, fifo), overTime("Spillway", spillway))),
                panel("Waiting items", "items", false, depths));
    }

    private ChartFile.Panel panel(String title, String unit, boolean isLogarithmic, List<ChartFile.Line> lines) {
        Window flood = scenario.flood();
        return new ChartFile.Panel(title, "seconds", unit, isLogarithmic, lines,
                new double[] {flood.fromMillis() / MILLIS_PER_SECOND, flood.toMillis() / MILLIS_PER_SECOND},
                samples.getLast().seconds());
    }

    private ChartFile.Line overTime(String name, DemoTally tally) {
        long binMillis = Math.ceilDiv(scenario.script().durationMillis(), BINS);
        List<Window> bins = IntStream.range(0, BINS)
                .mapToObj(bin -> new Window(bin * binMillis, (bin + 1) * binMillis))
                .filter(bin -> tally.waits(bin).items() > 0).toList();
        return ChartFile.Line.of(name, bins, bin -> bin.toMillis() / MILLIS_PER_SECOND,
                bin -> Math.max(1, tally.waits(bin).p99Millis()));
    }
}
