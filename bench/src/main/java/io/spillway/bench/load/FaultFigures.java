package io.spillway.bench.load;

import io.spillway.core.item.ItemState;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Figures of one run with a failing destination.
 *
 * @param peakWaiting most items at a time that were sent and neither done nor dead, looked at every second
 * @param agesBefore  of the tenants whose destination works, at the first attempt; without items if there are none
 * @param agesDuring  of the same in the fault
 */
record FaultFigures(
        FaultPlan plan, int items, Accounts accounts, long callsInFault, long offeredInFault, long calls,
        int mostCalls, long peakWaiting, List<Long> backlogNanos, double callMillis, double backAfterSeconds,
        double freshDone, Ages agesBefore, Ages agesDuring, double slotShare, int duplicates) {
    /** Columns of the table, in order. */
    private static final List<Column> COLUMNS = List.of(
            new Column("workers", run -> Integer.toString(run.plan().workers())),
            new Column("accepted", run -> "%,d".formatted(run.accounts().balance().accepted())),
            new Column("done", run -> "%,d".formatted(run.accounts().balance().in(ItemState.DONE))),
            new Column("dead by reason", run -> dead(run.accounts().dead())),
            new Column("attempts in the fault / offered in it", run -> number(3, run.faultRatio())),
            new Column("attempts / items", run -> number(3, (double) run.calls() / run.items())),
            new Column("most attempts of an item", run -> Integer.toString(run.mostCalls())),
            new Column("peak waiting", run -> "%,d".formatted(run.peakWaiting())),
            new Column("backlog at the return", run -> "%,d".formatted(run.backlogNanos().size())),
            new Column("backlog done, s", run -> number(1, run.drainSeconds(1))),
            new Column("of the ideal", run -> number(2, run.drainRatio(1))),
            new Column("99% of it, of the ideal", run -> number(2, run.drainRatio(0.99))),
            new Column("goodput back, s", run -> number(0, run.backAfterSeconds())),
            new Column("offered after the return, done", run -> number(3, run.freshDone())),
            new Column("others' p99 before, ms", run -> number(1, run.agesBefore().p99())),
            new Column("others' p99 during, ms", run -> number(1, run.agesDuring().p99())),
            new Column("others' p99, ratio", run -> number(2, run.othersRatio())),
            new Column("delay records / items", run -> number(3, run.perItem(
                    run.accounts().balance().entered(ItemState.DELAY)))),
            new Column("delay end offsets / items", run -> number(3, run.perItem(run.accounts().delayOffsets()))),
            new Column("moves / items", run -> number(3, run.perItem(run.accounts().moves()))),
            new Column("slot share of the failing", run -> number(3, run.slotShare())),
            new Column("done twice", run -> Integer.toString(run.duplicates())),
            new Column("balance", run -> run.isSettled()
                    ? "correct" : "NOT CORRECT: " + run.accounts().balance() + ", findings "
                            + run.accounts().findings()));

    private record Column(String name, Function<FaultFigures, String> value) {}

    /** Computes them; the failing tenants are the first ones. */
    static FaultFigures of(FaultPlan plan, LoadRun run, Accounts accounts, long peakWaiting) {
        Ledger ledger = run.ledger();
        int from = plan.wellSeconds();
        int back = plan.backSecond();
        long fromNanos = Flow.nanos(from);
        long backNanos = Flow.nanos(back);
        int offered = ledger.offered(plan::isFailing, fromNanos, backNanos);
        return new FaultFigures(
                plan, plan.traffic(plan.seconds()).items(), accounts,
                ledger.callsBetween(plan::isFailing, from, back), offered, ledger.calls(), ledger.mostCalls(),
                peakWaiting, ledger.backlogDoneNanos(plan::isFailing, backNanos), ledger.doneInMillis(),
                Goodput.backAfterSeconds(
                        ledger.doneBySecond(plan::isFailing, back, plan.seconds()),
                        (double) offered / plan.faultSeconds()),
                (double) ledger.doneOf(plan::isFailing, backNanos, Long.MAX_VALUE)
                        / ledger.offered(plan::isFailing, backNanos, Long.MAX_VALUE),
                Ages.of(ledger.ages(plan::isSound, Flow.nanos(from / 3.0), fromNanos)),
                Ages.of(ledger.ages(plan::isSound, fromNanos, backNanos)),
                ledger.slotSeconds(plan::isFailing, from, back)
                        / ((double) plan.workers() * plan.slots() * plan.faultSeconds()),
                ledger.duplicates());
    }

    /** Whether the ledger agrees with the topics, and each item is done or a dead letter. */
    boolean isSettled() {
        return accounts.isSettled(items);
    }

    /** Attempts for the failing tenants during the fault, for each item that they offered in it. */
    double faultRatio() {
        return (double) callsInFault / offeredInFault;
    }

    /**
     * Seconds from the return until a share of the backlog was done: of the failing tenants' items that were sent
     * before it and were done after it.
     */
    double drainSeconds(double share) {
        int last = (int) Math.ceil(share * backlogNanos.size()) - 1;
        return last < 0 ? 0 : backlogNanos.get(last) / 1e9;
    }

    /** The same, of the time that the backlog takes in all slots that the traffic leaves free. */
    double drainRatio(double share) {
        return drainSeconds(share) / plan.idealSeconds(backlogNanos.size(), callMillis);
    }

    double othersRatio() {
        return agesBefore.items() == 0 ? Double.NaN : agesDuring.p99() / agesBefore.p99();
    }

    /** One row for each run, below a line of names, as Markdown. */
    static String table(List<FaultFigures> runs) {
        StringBuilder table = new StringBuilder(row(COLUMNS.stream().map(Column::name).toList()))
                .append(row(COLUMNS.stream().map(column -> "--:").toList()));
        runs.forEach(run -> table.append(
                row(COLUMNS.stream().map(column -> column.value().apply(run)).toList())));
        return table.toString();
    }

    /** A line for each figure. */
    @Override
    public String toString() {
        return COLUMNS.stream()
                .map(column -> "         %-40s %s%n".formatted(column.name(), column.value().apply(this)))
                .collect(Collectors.joining());
    }

    private double perItem(long count) {
        return (double) count / items;
    }

    private static String dead(Map<String, Long> dead) {
        StringJoiner text = new StringJoiner(", ");
        dead.forEach((reason, count) -> text.add("%s %,d".formatted(reason, count)));
        return dead.isEmpty() ? "0" : text.toString();
    }

    private static String number(int digits, double value) {
        return Double.isNaN(value) ? "–" : Double.isInfinite(value) ? "never" : ("%." + digits + "f").formatted(value);
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
