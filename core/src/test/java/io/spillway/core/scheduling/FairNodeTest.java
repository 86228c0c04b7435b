package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.scheduling.FairNode.Standing;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FairNodeTest {
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.DEFAULTS);
    private static final TenantPolicy NAMED = TenantPolicy.of(new PolicySettings(
            PolicySettings.DEFAULTS.values(), Map.of("named", WorkloadPolicy.DEFAULT)));
    private static final long MILLI = 1_000_000;

    private final FairNode<String> tenant = new FairNode<>("acme", 1);
    private final LaneBuffer<String> hot = new LaneBuffer<>(Lane.HOT, 0, 10);

    @Test
    void the_estimate_is_the_prior_and_then_the_average_of_the_first_attempts() {
        assertThat(tenant.isEstimated()).isFalse();
        assertThat(tenant.estimateMillis(7)).isEqualTo(7);

        tenant.attemptEnded(10);

        assertThat(tenant.isEstimated()).isTrue();
        assertThat(tenant.estimateMillis(7)).isEqualTo(10);
        tenant.attemptEnded(40);
        assertThat(tenant.estimateMillis(7)).isEqualTo(25);
    }

    @Test
    void after_sixteen_attempts_a_new_one_counts_a_sixteenth() {
        for (int i = 0; i < 20; i++) {
            tenant.attemptEnded(10);
        }

        tenant.attemptEnded(26);

        assertThat(tenant.estimateMillis(0)).isEqualTo(11);
    }

    @Test
    void attempts_that_take_no_time_are_charged_a_hundredth_of_a_millisecond() {
        tenant.attemptEnded(0);

        assertThat(tenant.estimateMillis(7)).isEqualTo(0.01);
        assertThat(new FairNode<String>("other", 1).estimateMillis(0)).isEqualTo(0.01);
    }

    @Test
    void attempts_in_flight_count_for_the_time_beyond_the_average() {
        tenant.attemptEnded(10);
        tenant.attemptStarted(2 * MILLI);
        tenant.attemptStarted(4 * MILLI);

        assertThat(tenant.expectedMillis(6 * MILLI)).as("both below the average").isEqualTo(10);
        // They have run for 48 and 46 ms, 74 more than twice the average.
        assertThat(tenant.expectedMillis(50 * MILLI)).isCloseTo(10 + 74 / 16.0, within(1e-9));
        tenant.attemptLeft(2 * MILLI);
        assertThat(tenant.expectedMillis(50 * MILLI)).isCloseTo(10 + 36 / 16.0, within(1e-9));
        tenant.attemptLeft(4 * MILLI);
        assertThat(tenant.expectedMillis(50 * MILLI)).isEqualTo(10);
    }

    @Test
    void the_sum_of_starts_is_exact_again_when_none_is_in_flight() {
        tenant.attemptEnded(10);
        tenant.attemptStarted(5 * MILLI);
        tenant.attemptLeft(4 * MILLI);

        tenant.attemptStarted(100 * MILLI);

        assertThat(tenant.expectedMillis(120 * MILLI)).isCloseTo(10 + 10 / 16.0, within(1e-9));
    }

    @Test
    void its_concurrency_is_its_part_of_the_limit() {
        assertThat(tenant.concurrency).isEqualTo(Integer.MAX_VALUE);
        tenant.limit(4, StartRate.NONE, MaxMinSlots.ALONE);
        assertThat(tenant.concurrency).isEqualTo(4);
        tenant.limit(4, StartRate.NONE, twoWorkers("acme"));
        assertThat(tenant.concurrency).isEqualTo(2);
        tenant.limit(8, StartRate.NONE, twoWorkers("acme"));
        assertThat(tenant.concurrency).isEqualTo(4);
        tenant.limit(Integer.MAX_VALUE, StartRate.NONE, twoWorkers("acme"));
        assertThat(tenant.concurrency).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void it_is_at_its_cap_with_as_many_attempts_as_its_concurrency() {
        tenant.limit(2, StartRate.NONE, MaxMinSlots.ALONE);
        tenant.attemptStarted(0);
        assertThat(tenant.isAtCap()).isFalse();
        assertThat(tenant.isBusy()).isTrue();
        tenant.attemptStarted(0);
        assertThat(tenant.isAtCap()).isTrue();
        assertThat(tenant.standing).as("of a tenant the pool decides").isEqualTo(Standing.WITHIN);
        tenant.attemptLeft(0);
        tenant.attemptLeft(0);
        assertThat(tenant.isAtCap()).isFalse();
        assertThat(tenant.isBusy()).isFalse();
    }

    @Test
    void a_workload_at_its_concurrency_is_held_until_an_attempt_ends_or_its_limit_rises() {
        FairNode<String> mail = tenant.leaf("mail", POLICY);
        mail.limit(1, StartRate.NONE, MaxMinSlots.ALONE);
        mail.attemptStarted(0);
        assertThat(mail.standing).isEqualTo(Standing.HELD);
        mail.attemptLeft(0);
        assertThat(mail.standing).isEqualTo(Standing.WITHIN);
        mail.attemptStarted(0);
        mail.limit(2, StartRate.NONE, MaxMinSlots.ALONE);
        assertThat(mail.standing).isEqualTo(Standing.WITHIN);
    }

    @Test
    void the_demand_under_a_limit_is_what_waits_and_runs_and_the_claim_is_the_whole_part() {
        tenant.limit(4, StartRate.NONE, MaxMinSlots.ALONE);
        FairNode<String> mail = tenant.leaf("mail", POLICY);
        mail.limit(6, StartRate.NONE, MaxMinSlots.ALONE);
        Map<String, MaxMinSlots.Demand> demands = new HashMap<>();

        assertThat(tenant.share(MaxMinSlots.ALONE, demands)).isFalse();
        assertThat(demands).as("nothing waits or runs").isEmpty();

        tenant.waiting = 3;
        tenant.inFlight = 1;
        mail.inFlight = 9;
        assertThat(tenant.share(twoWorkers("acme"), demands)).as("its part has changed").isTrue();
        // The other worker has the demand under the tenant's limit, and none under that of the workload.
        assertThat(demands).isEqualTo(Map.of(
                "acme", new MaxMinSlots.Demand(4, tenant.concurrency),
                "acme/mail", new MaxMinSlots.Demand(9, 9)));
        assertThat(tenant.concurrency).isEqualTo(2);
    }

    @Test
    void without_a_limit_there_is_no_demand() {
        tenant.waiting = 3;
        Map<String, MaxMinSlots.Demand> demands = new HashMap<>();

        assertThat(tenant.share(twoWorkers("acme"), demands)).isFalse();

        assertThat(demands).isEmpty();
    }

    @Test
    void limits_that_hold_items_back_are_those_with_items_that_wait_and_as_many_attempts_as_they_allow() {
        FairNode<String> mail = tenant.leaf("mail", POLICY);
        tenant.limit(2, StartRate.NONE, MaxMinSlots.ALONE);
        mail.limit(2, StartRate.NONE, MaxMinSlots.ALONE);
        assertThat(atCap()).isEmpty();
        tenant.inFlight = 2;
        mail.inFlight = 2;
        assertThat(atCap()).as("nothing waits").isEmpty();
        mail.waiting = 1;
        assertThat(atCap()).containsExactly("acme/mail");
        tenant.waiting = 1;
        assertThat(atCap()).containsExactlyInAnyOrder("acme", "acme/mail");
        tenant.inFlight = 1;
        assertThat(atCap()).containsExactly("acme/mail");
        mail.limit(Integer.MAX_VALUE, StartRate.NONE, MaxMinSlots.ALONE);
        assertThat(atCap()).isEmpty();
    }

    @Test
    void a_tenant_is_divided_by_its_first_item_with_a_workload_until_it_rests() {
        FairQueue<String> queue = tenant.queue(hot);
        assertThat(tenant.leaf("", POLICY)).isSameAs(tenant);
        assertThat(tenant.isDivided()).isFalse();
        assertThat(tenant.children()).isEmpty();
        queue.add(item("first"));

        FairNode<String> mail = tenant.leaf("mail", POLICY);

        assertThat(tenant.isDivided()).isTrue();
        assertThat(tenant.leaf("mail", POLICY)).isSameAs(mail);
        assertThat(mail.tenant()).isSameAs(tenant);
        assertThat(tenant.tenant()).isSameAs(tenant);
        mail.queue(hot);
        FairNode<String> unnamed = tenant.leaf("", POLICY);
        assertThat(tenant.children()).containsExactlyInAnyOrder(unnamed, mail);
        assertThat(tenant.parts(hot)).extracting(part -> part.node).containsExactly(unnamed);

        queue.leaf().serve(1);
        int cohort = tenant.adaptive.started(1, 0);
        tenant.rest();

        assertThat(tenant.adaptive.started(1, 0)).as("what was measured is out of date").isNotEqualTo(cohort);
        assertThat(tenant.isDivided()).isFalse();
        assertThat(queue.children).isNull();
        assertThat(tenant.leaf("", POLICY)).isSameAs(tenant);
    }

    @Test
    void workloads_beyond_the_bound_replace_idle_ones_or_share_queues() {
        occupy(Workloads.MAX_OWN - 1);
        assertThat(tenant.leaf("one-too-many", POLICY).isShared).as("63 and the unnamed one are 64").isTrue();
        assertThat(tenant.leaf("one-too-many", POLICY)).isSameAs(tenant.leaf("one-too-many", POLICY));
        assertThat(tenant.leaf("named", NAMED).isShared).as("limits need a node of their own").isFalse();

        tenant.leaf("w1", POLICY).waiting = 0;

        FairNode<String> next = tenant.leaf("next", POLICY);
        assertThat(next.isShared).isFalse();
        assertThat(next.name).isEqualTo("next");
        assertThat(tenant.children()).extracting(child -> child.name).doesNotContain("w1");
    }

    @Test
    void a_thousand_deliveries_more_have_queues_of_their_own() {
        occupy(Workloads.MAX_OWN - 1);
        for (int i = 0; i < Workloads.MAX_DELIVERIES; i++) {
            FairNode<String> delivery = tenant.leaf("~s" + i, POLICY);
            assertThat(delivery.isShared).isFalse();
            delivery.waiting = 1;
        }
        assertThat(tenant.leaf("~one-too-many", POLICY).isShared).isTrue();
        assertThat(tenant.leaf("workload", POLICY).isShared).isTrue();
    }

    @Test
    void while_items_wait_in_a_shared_queue_further_ones_of_its_workloads_follow_them() {
        occupy(Workloads.MAX_OWN - 1);
        FairNode<String> shared = tenant.leaf("late", POLICY);
        shared.waiting = 1;
        tenant.leaf("w1", POLICY).waiting = 0;

        assertThat(tenant.leaf("late", POLICY)).isSameAs(shared);
        assertThat(tenant.children()).contains(shared);
        shared.waiting = 0;
        assertThat(tenant.leaf("late", POLICY).isShared).isFalse();
    }

    @Test
    void a_change_of_standing_moves_its_queues_with_items_and_those_they_are_part_of() {
        FairNode<String> mail = tenant.leaf("mail", POLICY);
        FairQueue<String> part = mail.queue(hot);
        FairQueue<String> whole = tenant.queue(hot);
        part.add(item("a"));
        assertThat(part.heap).isNotNull();
        assertThat(whole.heap).isNotNull();

        mail.stand(Standing.HELD);

        assertThat(part.heap).isNull();
        assertThat(whole.heap).as("none of its workloads may start").isNull();
        mail.stand(Standing.WITHIN);
        assertThat(part.heap).isNotNull();
        assertThat(whole.heap).isNotNull();
        TurnHeap<String> before = whole.heap;
        tenant.stand(Standing.BEYOND);
        assertThat(whole.heap).isNotNull().isNotSameAs(before);
    }

    private void occupy(int workloads) {
        for (int i = 1; i <= workloads; i++) {
            tenant.leaf("w" + i, POLICY).waiting = 1;
        }
        tenant.leaf("", POLICY).waiting = 1;
    }

    private Set<String> atCap() {
        Set<String> keys = new HashSet<>();
        tenant.addLimitsAtCap(keys);
        return keys;
    }

    /** Shares of a worker beside another one, both with more demand than there is. */
    private static MaxMinSlots twoWorkers(String key) {
        Map<String, MaxMinSlots.Demand> demand = Map.of(key, new MaxMinSlots.Demand(100, 0));
        return new MaxMinSlots("this", Map.of("this", demand, "other", demand), 0);
    }

    private static SlotLease<String> item(String name) {
        return new SlotLease<>(name, 0, ItemLimits.NORMAL_PRIORITY, 0);
    }
}
