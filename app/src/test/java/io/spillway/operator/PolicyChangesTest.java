package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.OperatorAction.SetPolicy;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What an action stores of a policy, when layers below have the same value or another. */
class PolicyChangesTest {
    private final QueueForTests queue = new QueueForTests();

    @Test
    void a_pause_lasts_when_that_of_all_tenants_ends() {
        pause("*", true);
        pause("acme", true);
        pause("*", false);
        assertThat(policies().of("acme").paused()).isTrue();
        assertThat(policies().of("bolt").paused()).isFalse();
    }

    @Test
    void a_pause_that_is_repeated_while_all_are_paused_is_kept() {
        pause("acme", true);
        pause("*", true);
        pause("acme", true);
        pause("*", false);
        assertThat(policies().of("acme").paused()).isTrue();
    }

    @Test
    void a_pause_lasts_when_that_of_its_destination_ends() {
        set("/crm", Optional.empty(), Map.of(PolicyField.PAUSED, "true"));
        set("acme", Optional.empty(), Map.of(PolicyField.DESTINATION, "crm"));
        pause("acme", true);
        set("/crm", Optional.empty(), Map.of(PolicyField.PAUSED, "default", PolicyField.ATTEMPT_RATE, "100"));
        assertThat(policies().of("acme").paused()).isTrue();
    }

    @Test
    void a_pause_is_stored_where_the_configured_defaults_pause_too() {
        actions(Map.of("defaults.paused", "true"))
                .act(SetPolicy.pause("acme", Optional.empty(), true), "olga", false);
        assertThat(policies().own("acme").get(PolicyField.PAUSED)).contains(true);
    }

    @Test
    void a_resume_leaves_no_setting_that_the_layers_below_make_needless() {
        pause("acme", true);
        pause("acme", false);
        assertThat(policies().names()).isEmpty();
        pause("*", true);
        pause("acme", false);
        assertThat(policies().own("acme").get(PolicyField.PAUSED)).contains(false);
    }

    @Test
    void a_value_of_a_workload_that_equals_the_default_overrides_that_of_all_tenants() {
        set("*", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "5"));
        set("acme", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "1"));
        assertThat(policies().of("acme").workloads().get("mail").weight()).isEqualTo(1);
        set("acme", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "default"));
        assertThat(policies().of("acme").workloads().get("mail").weight()).isEqualTo(5);
        assertThat(policies().names()).containsExactly("*");
    }

    @Test
    void a_change_of_one_workload_leaves_the_others_as_they_are() {
        set("*", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "5"));
        queue.stored(queue.topics.policies()).put("acme", TenantPolicies.encode("acme",
                new PolicySettings(Map.of(), Map.of("mail", WorkloadPolicy.DEFAULT))));
        set("acme", Optional.of("export"), Map.of(PolicyField.CONCURRENCY, "2"));
        set("acme", Optional.of("export"), Map.of(PolicyField.CONCURRENCY, "default"));
        assertThat(policies().own("acme").workloads()).containsOnlyKeys("mail");
    }

    @Test
    void a_workload_is_resumed_also_where_all_tenants_have_it_paused() {
        pauseMail("*", true);
        pauseMail("acme", false);
        assertThat(policies().of("acme").isPaused("mail")).isFalse();
        assertThat(policies().of("bolt").isPaused("mail")).isTrue();
        pauseMail("*", false);
        pauseMail("acme", false);
        assertThat(policies().names()).isEmpty();
    }

    @Test
    void a_pause_of_a_workload_and_its_end_leave_its_other_limits() {
        set("*", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "5"));
        set("bolt", Optional.of("mail"), Map.of(PolicyField.WEIGHT, "1"));
        for (boolean pause : new boolean[] {true, false}) {
            pauseMail("acme", pause);
            pauseMail("bolt", pause);
            assertThat(policies().of("acme").workload("mail").weight()).isEqualTo(5);
            assertThat(policies().of("bolt").workload("mail").weight()).isEqualTo(1);
        }
        assertThat(policies().names()).containsExactlyInAnyOrder("*", "bolt");
    }

    private void pauseMail(String tenant, boolean pause) {
        actions(Map.of()).act(SetPolicy.pause(tenant, Optional.of("mail"), pause), "olga", false);
    }

    private void pause(String tenant, boolean pause) {
        actions(Map.of()).act(SetPolicy.pause(tenant, Optional.empty(), pause), "olga", false);
    }

    private void set(String tenant, Optional<String> workload, Map<PolicyField, String> values) {
        actions(Map.of()).act(SetPolicy.set(tenant, workload, values), "olga", false);
    }

    private OperatorActions actions(Map<String, String> settings) {
        ActionRecorder recorder = new ActionRecorder(queue.topics.actions(), InstantSource.system(), () -> 1);
        return new OperatorActions(queue, configuration(settings), recorder, Long.MAX_VALUE, InstantSource.system(),
                new SplittableRandom(7));
    }

    private TenantPolicies policies() {
        TenantPolicies policies = new TenantPolicies(configuration(Map.of()).defaults());
        queue.stored(queue.topics.policies()).forEach(policies::put);
        return policies;
    }

    private static Configuration configuration(Map<String, String> settings) {
        return ConfigurationLoader.load(Optional.empty(), Map.of(), settings);
    }
}
