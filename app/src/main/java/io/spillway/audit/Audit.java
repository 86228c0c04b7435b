package io.spillway.audit;

import io.spillway.policy.AuditedTenant;
import io.spillway.policy.Place;
import io.spillway.policy.TenantBooks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Holds the books against what lies in the topics. Bound: all tenants. */
public final class Audit {
    private Audit() {}

    /**
     * Reads the books, counts the items, reads the books again.
     *
     * @return every tenant with books or items, by name
     * @throws io.spillway.topic.KafkaFailure when the cluster does not answer
     */
    public static List<AuditedTenant> of(Census census) {
        Map<String, TenantBooks> before = BookReading.read(census);
        Map<String, long[]> counted = new HashMap<>();
        census.forEach(false, item ->
                counted.computeIfAbsent(item.owner(), absent -> new long[Place.COUNT])[item.place().ordinal()]++);
        Map<String, TenantBooks> after = BookReading.read(census);
        TreeSet<String> tenants = new TreeSet<>(after.keySet());
        tenants.addAll(counted.keySet());
        return tenants.stream()
                .map(tenant -> new AuditedTenant(
                        tenant,
                        before.getOrDefault(tenant, TenantBooks.EMPTY),
                        after.getOrDefault(tenant, TenantBooks.EMPTY),
                        counted.getOrDefault(tenant, new long[Place.COUNT])))
                .toList();
    }
}
