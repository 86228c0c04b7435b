package io.spillway.audit;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.ledger.TenantBalance;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Comparison of the ledger with the items stored in the topics. Bound: all tenants. */
public final class Audit {
    private static final int MAX_TRIES = 3;

    private Audit() {}

    /**
     * Reads the balances, counts the items, and reads the balances again.
     *
     * @return all tenants with a balance or items, by name
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not respond
     */
    public static List<AuditedTenant> of(Census census) {
        Map<String, TenantBalance> before = LedgerReader.read(census).tenants();
        Map<String, long[]> counted = new HashMap<>();
        census.forEach(false, item ->
                counted.computeIfAbsent(item.owner(), absent -> new long[ItemState.COUNT])[item.place().ordinal()]++);
        Map<String, TenantBalance> after = LedgerReader.read(census).tenants();
        return Stream.concat(after.keySet().stream(), counted.keySet().stream()).distinct().sorted()
                .map(tenant -> audited(tenant, before, after, counted))
                .toList();
    }

    /** A tenant that is forgotten during the audit had no items before or after it. */
    private static AuditedTenant audited(String tenant, Map<String, TenantBalance> before,
            Map<String, TenantBalance> after, Map<String, long[]> counted) {
        TenantBalance last = after.getOrDefault(tenant, TenantBalance.EMPTY);
        return new AuditedTenant(tenant, after.containsKey(tenant) ? before.getOrDefault(tenant, TenantBalance.EMPTY)
                : last, last, counted.getOrDefault(tenant, new long[ItemState.COUNT]));
    }

    /**
     * Audits all tenants, up to three times while there are differences: an item may be read between two markers of its
     * transaction, so a difference counts only when it stays.
     */
    public static List<AuditedTenant> confirmed(Census census) {
        List<AuditedTenant> audited = of(census);
        for (int tries = 1; tries < MAX_TRIES && hasFindings(audited); tries++) {
            audited = of(census);
        }
        return audited;
    }

    private static boolean hasFindings(List<AuditedTenant> audited) {
        return audited.stream().anyMatch(tenant -> !tenant.findings().isEmpty());
    }
}
