package io.spillway.demo;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What there is to tell when the demo is over.
 *
 * @param plan       what happened
 * @param spillway   what Spillway's handlers saw
 * @param fifo       what those behind the FIFO queue saw
 * @param sent       items by tenant
 * @param samples    one for each second
 * @param isFinished whether both queues finished everything before the demo gave up waiting
 * @param audited    every tenant's books, and the items counted where they lie
 * @param pill       the poison pill where it lies as a dead letter; empty when it does not
 */
public record DemoResult(
        DemoPlan plan,
        DemoTally spillway,
        DemoTally fifo,
        Map<String, Long> sent,
        List<DemoSample> samples,
        boolean isFinished,
        List<AuditedTenant> audited,
        Optional<DeadPill> pill) {
    public DemoResult {
        sent = Map.copyOf(sent);
        samples = List.copyOf(samples);
        audited = List.copyOf(audited);
    }

    /**
     * A dead letter.
     *
     * @param reason why, as its header says
     * @param detail what went wrong, as its header says
     */
    record DeadPill(String reason, String detail) {}

    /** Whether the books balance and every item is where they say. */
    public boolean isBalanced() {
        return audited.stream().allMatch(tenant -> tenant.findings().isEmpty());
    }

    long sent(Predicate<String> tenants) {
        return sent.entrySet().stream().filter(entry -> tenants.test(entry.getKey())).mapToLong(Map.Entry::getValue).sum();
    }

    long accepted(Predicate<String> tenants) {
        return audited.stream().filter(each -> tenants.test(each.tenant())).mapToLong(each -> each.after().accepted()).sum();
    }

    long in(ItemState place, Predicate<String> tenants) {
        return audited.stream().filter(each -> tenants.test(each.tenant())).mapToLong(each -> each.after().in(place)).sum();
    }

    long waiting(Predicate<String> tenants) {
        return ItemState.WAITING.stream().mapToLong(place -> in(place, tenants)).sum();
    }
}
