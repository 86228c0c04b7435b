package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A policy that changes while items wait at a worker and none comes. */
class ChangedPolicyTest {
    private static final int SLOTS = 50;
    private static final TenantPolicy FREE = TenantPolicy.of(PolicySettings.NONE_SET);

    private final FairDispatch<String> dispatch =
            new FairDispatch<>(new DispatchSettings(SLOTS, 0.1, 0.05, 0.05, 20_000, 1L << 30, 100, true));

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("limits")
    void a_limit_that_is_lifted_or_set_applies_to_the_items_that_wait(String workload, String what, TenantPolicy low) {
        offer("acme", workload, low);
        assertThat(starts()).isEqualTo(1);
        dispatch.followPolicies(item -> FREE);
        assertThat(starts()).as("lifted").isGreaterThan(10);

        offer("globex", workload, FREE);
        dispatch.followPolicies(item -> low);
        assertThat(starts()).as("set").isLessThanOrEqualTo(1);
    }

    static Stream<Arguments> limits() {
        return Stream.of("", "mail").flatMap(workload -> Stream.of(
                Arguments.of(workload, "concurrency", of(PolicyField.CONCURRENCY)),
                Arguments.of(workload, "attemptRate", of(PolicyField.ATTEMPT_RATE)),
                Arguments.of(workload, "concurrency of its destination", calling(PolicyField.CONCURRENCY)),
                Arguments.of(workload, "attemptRate of its destination", calling(PolicyField.ATTEMPT_RATE))));
    }

    @Test
    void a_limit_of_a_workload_applies_to_it_alone() {
        TenantPolicy low = TenantPolicy.of(PolicySettings.NONE_SET.withWorkload(
                "mail", new WorkloadPolicy(1, 1)));
        offer("acme", "mail", FREE);
        dispatch.followPolicies(item -> low);
        assertThat(starts()).isEqualTo(1);
        dispatch.followPolicies(item -> FREE);
        assertThat(starts()).isGreaterThan(10);
    }

    private static TenantPolicy of(PolicyField limit) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(limit, "1"));
    }

    private static TenantPolicy calling(PolicyField limit) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.DESTINATION, "crm"),
                Optional.of(new NamedDestination("crm", PolicySettings.NONE_SET.with(limit, "1"))),
                PolicySettings.NONE_SET);
    }

    private void offer(String tenant, String workload, TenantPolicy policy) {
        for (int i = 0; i < 20; i++) {
            dispatch.offer(Lane.HOT, tenant, workload, policy, tenant, 0, 4, 0);
        }
    }

    /** Starts what may start now; nothing ends. */
    private int starts() {
        int count = 0;
        while (dispatch.take(true, 0).isPresent()) {
            count++;
        }
        return count;
    }
}
