package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.SuspectStatus;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TenantLoadTest {
    private static final long NOW = 1_800_000_000_000L;

    @Test
    void a_tenants_slots_and_backlog_are_parts_of_those_of_its_pools_workers() {
        Map<String, WorkerReport> reports = Map.of(
                "a", worker("shared", 10, new SlotUse(10, Map.of("acme", 8))),
                "b", worker("shared", 30, new SlotUse(28, Map.of("acme", 12, "globex", 5))),
                "c", worker("spare", 10, new SlotUse(2, Map.of("initech", 2))));
        Map<String, TenantLoad> loads = TenantLoad.of(reports, Map.of("acme", 400L, "initech", 100L), 500,
                tenant -> tenant.equals("initech") ? "spare" : "shared", 1_000, NOW);
        assertThat(loads).isEqualTo(Map.of(
                "acme", new TenantLoad(0.5, true, 0.8, 1_000, false),
                "globex", new TenantLoad(0.125, true, 0, 0, false),
                "initech", new TenantLoad(0.2, false, 0.2, 1_000, false)));
    }

    @Test
    void a_pool_is_not_crowded_when_more_than_a_quarter_of_its_slots_is_free_or_nobody_else_waits() {
        Map<String, WorkerReport> busy = Map.of("a", worker("shared", 100, new SlotUse(75, Map.of("acme", 75))));
        assertThat(load(busy, 9, 10).isCrowded()).isTrue();
        assertThat(load(busy, 10, 10).isCrowded()).as("it waits alone").isFalse();
        Map<String, WorkerReport> free = Map.of("a", worker("shared", 100, new SlotUse(74, Map.of("acme", 74))));
        assertThat(load(free, 9, 10).isCrowded()).isFalse();
    }

    @Test
    void a_conviction_counts_for_a_time_whatever_the_tenant_takes() {
        Map<String, WorkerReport> reports = Map.of("a", worker("shared", 10, SlotUse.NONE).with("shared", SlotUse.NONE,
                new SuspectStatus(0, 0, Map.of("acme", NOW - 999, "globex", NOW - 1_000))));
        assertThat(TenantLoad.of(reports, Map.of(), 0, tenant -> "shared", 1_000, NOW)).isEqualTo(Map.of(
                "acme", new TenantLoad(0, false, 0, 0, true), "globex", TenantLoad.NONE));
    }

    @Test
    void the_time_of_a_backlog_is_not_known_without_workers() {
        assertThat(load(Map.of(), 1, 1)).isEqualTo(new TenantLoad(0, false, 1, Double.NaN, false));
    }

    private static TenantLoad load(Map<String, WorkerReport> reports, long waiting, long total) {
        return TenantLoad.of(reports, Map.of("acme", waiting), total, tenant -> "shared", 1_000, NOW).get("acme");
    }

    private static WorkerReport worker(String pool, int slots, SlotUse use) {
        return new WorkerReport(slots, 10.0 * slots, 1, 1, 0, 0, Map.of()).with(pool, use, SuspectStatus.NONE);
    }
}
