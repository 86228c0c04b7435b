package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateTableTest {
    private static final long START = 1_800_000_000_000_000_000L;
    private static final long SECOND = 1_000_000_000;

    private final RateTable table = new RateTable(100);

    @Test
    void each_tenant_has_a_bucket_of_its_own() {
        RateLimit limit = RateLimit.of(1, 2);
        assertThat(admitted("acme", limit, START, 5)).isEqualTo(2);
        assertThat(admitted("bolt", limit, START, 5)).isEqualTo(2);
        assertThat(admitted("acme", limit, START + SECOND, 5)).isEqualTo(1);
        assertThat(table.size()).isEqualTo(2);
    }

    @Test
    void a_rejected_item_does_not_change_the_state() {
        RateLimit limit = RateLimit.of(1, 1);
        assertThat(table.admit(named("acme"), limit, START)).isTrue();
        for (int i = 1; i < 1_000; i++) {
            assertThat(table.admit(named("acme"), limit, START + i * SECOND / 1_000)).isFalse();
        }
        assertThat(table.admit(named("acme"), limit, START + SECOND)).isTrue();
    }

    /** A limit is used up at time 0, then another limit applies: how many of 1,000 items at one time are within it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                            | rate, burst | rate, burst |  s | items
            the same limit                                    |   10 |   50 |   10 |   50 |  1 |    10
            a raised rate applies at once                     |    1 | 3600 | 1000 | 2000 |  1 |  1000
            a raised rate with a small burst as well          |    1 | 3600 |  100 |   10 |  1 |    10
            a longer burst is available at once               |   10 |   10 |   10 |  100 |  0 |    90
            a shorter burst counts as used up                 |   10 | 1000 |   10 |    5 |  1 |     5
            a lowered rate starts from what was used          |  100 |  100 |    1 |    1 |  0 |     0
            then the new rate applies                         |  100 |  100 |    1 |    1 |  2 |     1
            """)
    void a_changed_limit_applies_from_the_next_item(
            String what, double rate, long burst, double newRate, long newBurst, long seconds, int items) {
        admitted("acme", RateLimit.of(rate, burst), START, 10_000);
        RateLimit changed = RateLimit.of(newRate, newBurst);
        // The first item after the change meets the old state; a second later only the new limit matters.
        table.admit(named("acme"), changed, START);
        assertThat(admitted("acme", changed, START + seconds * SECOND, 1_000)).isEqualTo(
                seconds == 0 && items > 0 ? items - 1 : items);
    }

    @Test
    void a_clock_set_back_by_a_day_does_not_block_the_tenant_for_a_day() {
        RateLimit limit = RateLimit.of(10, 5);
        long dayAhead = START + 86_400 * SECOND;
        assertThat(admitted("acme", limit, dayAhead, 100)).isEqualTo(5);
        assertThat(admitted("acme", limit, START, 100)).as("the burst counts as used up").isZero();
        assertThat(admitted("acme", limit, START + SECOND, 100)).isEqualTo(5);
    }

    /** The burst of half a second is used up at START. */
    @ParameterizedTest(name = "set back by {0} ns: {1} of the burst half a second later")
    @CsvSource({"1000000000, 0", "1000000001, 5"})
    void a_clock_set_back_by_more_than_a_second_counts_the_burst_as_used_up_then(long nanos, int items) {
        RateLimit limit = RateLimit.of(10, 5);
        admitted("acme", limit, START, 5);
        assertThat(admitted("acme", limit, START - nanos, 1)).isZero();
        assertThat(admitted("acme", limit, START - nanos + SECOND / 2, 9)).isEqualTo(items);
    }

    @Test
    void a_small_clock_skew_between_threads_admits_no_more_items() {
        RateLimit limit = RateLimit.of(1_000, 1);
        int admitted = 0;
        for (long millis = 1_000; millis < 2_000; millis++) {
            admitted += admitted("acme", limit, START + millis * 1_000_000, 3);
            admitted += admitted("acme", limit, START + (millis - 900) * 1_000_000, 3);
        }
        assertThat(admitted).isEqualTo(1_000);
    }

    @Test
    void a_full_table_admits_further_tenants_unmeasured_and_counts_them() {
        RateLimit limit = RateLimit.of(1, 1);
        for (int tenant = 0; tenant < 100; tenant++) {
            assertThat(table.admit(named("tenant-" + tenant), limit, START)).isTrue();
        }
        assertThat(table.unmeasured()).isZero();
        assertThat(admitted("one-more", limit, START, 7)).isEqualTo(7);
        assertThat(table.unmeasured()).isEqualTo(7);
        assertThat(table.size()).isEqualTo(100);
        assertThat(table.admit(named("tenant-0"), limit, START))
                .as("a tenant with a state is still measured").isFalse();
        assertThat(table.unmeasured()).isEqualTo(7);
    }

    @Test
    void prune_removes_only_states_in_the_past() {
        table.admit(named("done"), RateLimit.of(10, 1), START);
        table.admit(named("just-done"), RateLimit.of(1, 1), START);
        table.admit(named("in-force"), RateLimit.of(1, 2), START);
        table.admit(named("in-force"), RateLimit.of(1, 2), START);
        table.prune(START + SECOND - 1);
        assertThat(table.size()).isEqualTo(2);
        table.prune(START + SECOND);
        assertThat(table.size()).isEqualTo(1);
        assertThat(admitted("in-force", RateLimit.of(1, 2), START + SECOND, 9)).isEqualTo(1);
        assertThat(admitted("done", RateLimit.of(10, 1), START + SECOND, 9)).as("an unused bucket").isEqualTo(1);
    }

    @Test
    void a_pruned_table_has_room_again() {
        RateLimit limit = RateLimit.of(1, 1);
        for (int tenant = 0; tenant < 100; tenant++) {
            table.admit(named("tenant-" + tenant), limit, START);
        }
        table.prune(START + SECOND);
        assertThat(admitted("one-more", limit, START + SECOND, 7)).isEqualTo(1);
        assertThat(table.unmeasured()).isZero();
    }

    /** So many that each part of the table grows several times. Every second one uses up two seconds of its rate. */
    @Test
    void the_states_of_many_tenants_are_kept_apart_while_the_table_grows_and_after_it_is_pruned() {
        int tenants = 2_000;
        RateTable large = new RateTable(tenants);
        RateLimit limit = RateLimit.of(1, 2);
        for (int tenant = 0; tenant < tenants; tenant++) {
            for (int item = 0; item <= tenant % 2; item++) {
                assertThat(large.admit(named("tenant-" + tenant), limit, START)).isTrue();
            }
        }
        assertThat(large.size()).isEqualTo(tenants);

        large.prune(START + SECOND);
        assertThat(large.size()).as("a state of exactly now is that of an unused bucket").isEqualTo(tenants / 2);
        for (int tenant = 0; tenant < tenants; tenant++) {
            TenantContext named = named("tenant-" + tenant);
            assertThat(large.admit(named, limit, START + SECOND)).isTrue();
            assertThat(large.admit(named, limit, START + SECOND)).as(named.name()).isEqualTo(tenant % 2 == 0);
        }
        assertThat(large.size()).isEqualTo(tenants);
        assertThat(large.unmeasured()).isZero();
    }

    @Test
    void a_table_of_one_tenant_measures_one() {
        RateTable one = new RateTable(1);
        RateLimit limit = RateLimit.of(1, 1);
        assertThat(one.admit(named("acme"), limit, START)).isTrue();
        assertThat(one.admit(named("acme"), limit, START)).isFalse();
    }

    @Test
    void concurrent_threads_share_the_burst() throws Exception {
        assertThat(admittedByThreads(RateLimit.of(0.001, 777), 1, SECOND)).isEqualTo(777);
    }

    @Tag("slow")
    @Test
    void concurrent_threads_share_burst_and_rate_over_time() throws Exception {
        // 400 steps of 10 ms at 50 items a second are 200 intervals, plus the initial burst of 33.
        assertThat(admittedByThreads(RateLimit.of(50, 33), 401, SECOND / 100)).isEqualTo(233);
    }

    @Test
    void a_table_without_capacity_is_rejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RateTable(0))
                .withMessageContaining("maxTenants = 0");
    }

    private int admitted(String tenant, RateLimit limit, long now, int offered) {
        int admitted = 0;
        for (int i = 0; i < offered; i++) {
            admitted += table.admit(named(tenant), limit, now) ? 1 : 0;
        }
        return admitted;
    }

    /** Eight threads offer 200 items each at every step of a shared timeline. */
    private int admittedByThreads(RateLimit limit, int steps, long stepNanos) throws Exception {
        int threads = 8;
        CyclicBarrier nextStep = new CyclicBarrier(threads);
        List<Future<Integer>> results = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                results.add(pool.submit(() -> {
                    int admitted = 0;
                    for (int step = 0; step < steps; step++) {
                        nextStep.await();
                        admitted += admitted("acme", limit, START + step * stepNanos, 200);
                    }
                    return admitted;
                }));
            }
        }
        int all = 0;
        for (Future<Integer> result : results) {
            all += result.get();
        }
        return all;
    }

    private static TenantContext named(String tenant) {
        return TenantContext.of(tenant, 0, TenantPolicy.of(PolicySettings.NONE_SET));
    }
}
