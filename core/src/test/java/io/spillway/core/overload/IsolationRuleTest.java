package io.spillway.core.overload;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.overload.IsolationRule.Change;
import io.spillway.core.overload.IsolationRule.Change.Isolate;
import io.spillway.core.overload.IsolationRule.Change.Release;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Isolation at half of the slots or of the backlog for 5 minutes, two tenants at most, release after 30 minutes. */
class IsolationRuleTest {
    private static final long MINUTE = 60_000;
    private static final TenantLoad HOG = new TenantLoad(0.6, true, 0, 0, false);
    private static final TenantLoad KILLER = new TenantLoad(0, false, 0, 0, true);

    private final IsolationRule rule =
            new IsolationRule(new IsolationRule.Settings(0.5, 5 * MINUTE, 30 * MINUTE, 2, "spare"));

    @Test
    void a_tenant_with_most_slots_while_others_wait_is_isolated_after_the_time_and_once() {
        assertThat(next(Map.of("acme", HOG), 0)).isEmpty();
        assertThat(next(Map.of("acme", HOG), 5 * MINUTE - 1)).isEmpty();
        assertThat(rule.over(5 * MINUTE - 1)).isZero();
        assertThat(next(Map.of("acme", HOG), 5 * MINUTE))
                .containsExactly(new Isolate("acme", "60 % of the slots are its, while others wait"));
        assertThat(rule.over(5 * MINUTE)).isEqualTo(1);
        assertThat(next(Map.of("acme", HOG), 60 * MINUTE)).as("it was refused, or observed").isEmpty();
        assertThat(next(Map.of(), 61 * MINUTE)).isEmpty();
        next(Map.of("acme", HOG), 62 * MINUTE);
        assertThat(next(Map.of("acme", HOG), 67 * MINUTE)).as("again").hasSize(1);
    }

    @Test
    void one_whose_isolation_failed_is_tried_again_after_the_time() {
        next(Map.of("acme", HOG), 0);
        assertThat(next(Map.of("acme", HOG), 5 * MINUTE)).hasSize(1);
        rule.failed("acme", 5 * MINUTE);
        assertThat(next(Map.of("acme", HOG), 10 * MINUTE - 1)).isEmpty();
        assertThat(next(Map.of("acme", HOG), 10 * MINUTE)).hasSize(1);
    }

    @Test
    void slots_that_no_other_tenant_waits_for_do_not_count() {
        TenantLoad alone = new TenantLoad(1, false, 0, 0, false);
        next(Map.of("acme", alone), 0);
        assertThat(next(Map.of("acme", alone), 5 * MINUTE)).isEmpty();
    }

    @Test
    void a_backlog_counts_when_it_is_most_of_all_and_takes_the_workers_longer_than_the_time() {
        TenantLoad shallow = new TenantLoad(0.2, true, 0.99, 5 * MINUTE, false);
        TenantLoad deep = new TenantLoad(0.2, true, 0.51, 5 * MINUTE + 1, false);
        TenantLoad small = new TenantLoad(0.2, true, 0.5, 60 * MINUTE, false);
        next(Map.of("shallow", shallow, "deep", deep, "small", small), 0);
        assertThat(next(Map.of("shallow", shallow, "deep", deep, "small", small), 5 * MINUTE)).containsExactly(
                new Isolate("deep", "51 % of what waits is its, and takes the workers long"));
    }

    @Test
    void a_tenant_near_its_share_does_not_begin_anew_each_time_but_a_break_does() {
        TenantLoad near = new TenantLoad(0.4, true, 0, 0, false);
        TenantLoad below = new TenantLoad(0.375, true, 0, 0, false);
        next(Map.of("acme", HOG, "globex", HOG, "initech", near), 0);
        next(Map.of("acme", near, "globex", below, "initech", near), 4 * MINUTE);
        next(Map.of("acme", near, "globex", HOG, "initech", near), 5 * MINUTE - 1);
        assertThat(next(Map.of("acme", near, "globex", HOG, "initech", near), 5 * MINUTE))
                .extracting(Change::tenant).containsExactly("acme");
    }

    @Test
    void a_tenant_whose_items_go_on_killing_workers_is_isolated_whatever_it_takes() {
        next(Map.of("acme", KILLER), 0);
        assertThat(next(Map.of("acme", KILLER), 5 * MINUTE))
                .containsExactly(new Isolate("acme", "its items kill workers"));
    }

    @Test
    void the_pool_takes_no_more_than_its_number_and_those_that_are_over_for_longest_first() {
        next(Map.of("b", HOG), 0);
        next(Map.of("a", KILLER, "b", HOG, "c", HOG), 1);
        Map<String, TenantLoad> all = Map.of("a", KILLER, "b", HOG, "c", HOG);
        assertThat(rule.next(all, Set.of("d"), true, 5 * MINUTE)).as("4.99 min").extracting(Change::tenant)
                .containsExactly("b");
        assertThat(rule.next(all, Set.of("b", "d"), true, 6 * MINUTE)).isEmpty();
        assertThat(rule.next(all, Set.of("d"), false, 7 * MINUTE)).as("no worker in the pool").isEmpty();
        assertThat(rule.next(all, Set.of(), true, 8 * MINUTE)).extracting(Change::tenant).containsExactly("a", "c");
    }

    @Test
    void an_isolated_tenant_is_released_when_it_has_been_calm_without_a_break() {
        TenantLoad calm = new TenantLoad(0.25, false, 1, 2.5 * MINUTE, false);
        Set<String> isolated = Set.of("acme");
        rule.next(Map.of("acme", calm), isolated, true, 0);
        assertThat(rule.next(Map.of(), isolated, true, 30 * MINUTE - 1)).isEmpty();
        assertThat(rule.next(Map.of(), isolated, true, 30 * MINUTE))
                .containsExactly(new Release("acme", "it has been calm"));

        rule.next(Map.of("acme", calm), isolated, true, 31 * MINUTE);
        for (TenantLoad busy : List.of(KILLER, new TenantLoad(0.26, false, 0, 0, false),
                new TenantLoad(0, false, 0, 2.6 * MINUTE, false))) {
            rule.next(Map.of("acme", busy), isolated, true, 40 * MINUTE);
            rule.next(Map.of("acme", calm), isolated, true, 41 * MINUTE);
            assertThat(rule.next(Map.of("acme", calm), isolated, true, 70 * MINUTE)).as("after %s", busy).isEmpty();
        }
        assertThat(rule.next(Map.of("acme", calm), isolated, true, 71 * MINUTE)).hasSize(1);
    }

    @Test
    void while_no_worker_runs_a_backlog_is_neither_too_much_nor_calm() {
        TenantLoad unknown = new TenantLoad(0, false, 1, Double.NaN, false);
        rule.next(Map.of("acme", unknown, "globex", unknown), Set.of("globex"), true, 0);
        assertThat(rule.next(Map.of("acme", unknown, "globex", unknown), Set.of("globex"), true, 60 * MINUTE))
                .isEmpty();
    }

    @Test
    void a_tenant_that_is_isolated_is_not_isolated_again() {
        rule.next(Map.of("acme", HOG), Set.of("acme"), true, 0);
        assertThat(rule.next(Map.of("acme", HOG), Set.of("acme"), true, 10 * MINUTE)).isEmpty();
        assertThat(rule.over(10 * MINUTE)).isZero();
    }

    private List<Change> next(Map<String, TenantLoad> loads, long nowMillis) {
        return rule.next(loads, Set.of(), true, nowMillis);
    }
}
