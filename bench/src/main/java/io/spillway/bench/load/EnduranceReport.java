package io.spillway.bench.load;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.TenantBalance;
import java.util.function.IntPredicate;

/** What a long run came to: ages of each tenant, and the fate of every item. */
final class EnduranceReport {
    private EnduranceReport() {}

    /**
     * Returns it as Markdown.
     *
     * @param endNanos when the last item was to be sent, since the start
     * @param sent     items sent; below 0 if the run failed before that was known
     * @param accounts of the end; null if the run failed before
     */
    static String of(Ledger ledger, long endNanos, int sent, Accounts accounts) {
        StringBuilder report = new StringBuilder("""

                Age at the first attempt, ms, by when items were to be sent:

                | tenant | items | p50, first half | p99, first half | p50, second half | p99, second half |
                |---|--:|--:|--:|--:|--:|
                """);
        for (int tenant = 0; tenant < EnduranceTraffic.TENANTS; tenant++) {
            int number = tenant;
            report.append(row(EnduranceTraffic.name(tenant), ledger, each -> each == number, endNanos));
        }
        report.append(row("all steady", ledger, EnduranceTraffic::isSteady, endNanos)).append('\n');
        if (accounts == null) {
            return report.append("The run did not come to its audit.\n").toString();
        }
        TenantBalance balance = accounts.balance();
        long fates = balance.in(ItemState.DONE) + balance.in(ItemState.DROPPED) + balance.in(ItemState.DEAD_LETTER);
        return report.append("""
                sent %,d, accepted %,d = done %,d + dropped %,d + dead %,d + waiting %,d; lost %,d
                dead letters by reason: %s
                attempts %,d; done more than once %,d
                audit: %s, %d findings
                """.formatted(
                sent, balance.accepted(), balance.in(ItemState.DONE), balance.in(ItemState.DROPPED),
                balance.in(ItemState.DEAD_LETTER), balance.waiting(),
                sent - fates - balance.waiting(), accounts.dead(), ledger.calls(), ledger.duplicates(),
                verdict(accounts, sent), accounts.findings())).toString();
    }

    /** A run that was stopped leaves items that wait for a retry. */
    static String verdict(Accounts accounts, int sent) {
        boolean isConsistent = accounts.findings() == 0 && accounts.balance().difference() == 0
                && accounts.balance().accepted() == sent;
        return accounts.isSettled(sent) ? "PASS"
                : isConsistent && accounts.balance().waiting() > 0 ? "items still wait" : "FAIL";
    }

    private static String row(String name, Ledger ledger, IntPredicate tenant, long endNanos) {
        long middle = endNanos / 2;
        Ages first = Ages.of(ledger.agesUntil(endNanos, tenant, 0, middle));
        Ages second = Ages.of(ledger.agesUntil(endNanos, tenant, middle, endNanos));
        return "| %s | %,d | %.1f | %.1f | %.1f | %.1f |%n".formatted(
                name, first.items() + second.items(), first.p50(), first.p99(), second.p50(), second.p99());
    }
}
