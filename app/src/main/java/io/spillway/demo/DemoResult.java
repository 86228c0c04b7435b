package io.spillway.demo;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.ledger.TenantBalance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Result of a demo.
 *
 * @param spillway   statistics of the handlers of Spillway
 * @param fifo       statistics of the handlers of the FIFO queue
 * @param sent       items by tenant
 * @param samples    one per second
 * @param isFinished whether both queues finished all items before the demo stopped waiting
 * @param audited    balances of all tenants, with the items counted in the topics
 * @param pill       the poison pill as a dead letter; empty if it is not one
 */
public record DemoResult(
        DemoPlan plan, DemoTally spillway, DemoTally fifo, Map<String, Long> sent, List<DemoSample> samples,
        boolean isFinished, List<AuditedTenant> audited, Optional<DeadPill> pill) {
    public DemoResult {
        sent = Map.copyOf(sent);
        samples = List.copyOf(samples);
        audited = List.copyOf(audited);
    }

    /** Reason and detail of a dead letter, from its headers. */
    record DeadPill(String reason, String detail) {}

    /** Returns whether the balances are correct and match the items in the topics. */
    public boolean isBalanced() {
        return audited.stream().allMatch(tenant -> tenant.findings().isEmpty());
    }

    long sent(Predicate<String> tenants) {
        return sent.keySet().stream().filter(tenants).mapToLong(sent::get).sum();
    }

    long accepted(Predicate<String> tenants) {
        return sum(tenants, TenantBalance::accepted);
    }

    long in(ItemState place, Predicate<String> tenants) {
        return sum(tenants, balance -> balance.in(place));
    }

    long waiting(Predicate<String> tenants) {
        return sum(tenants, TenantBalance::waiting);
    }

    private long sum(Predicate<String> tenants, ToLongFunction<TenantBalance> figure) {
        return audited.stream().filter(each -> tenants.test(each.tenant())).map(AuditedTenant::after)
                .mapToLong(figure).sum();
    }
}
