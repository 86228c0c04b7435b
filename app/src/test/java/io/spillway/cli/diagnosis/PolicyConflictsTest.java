package io.spillway.cli.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.view.TenantPolicies;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyConflictsTest {
    private final PolicySettings configured = PolicySettings.NONE_SET;
    private final TenantPolicies policies = new TenantPolicies(configured);

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "agedAfter=1h ttl=30m | agedAfter = 1h has no effect because of ttl = 30m",
        "agedAfter=1h ttl=1h | agedAfter = 1h has no effect",
        "retryFor=2h ttl=1h | retryFor = 2h has no effect because of ttl = 1h",
        "expireAfter=2h ttl=1h | expireAfter = 2h has no effect because of ttl = 1h",
        "backoffBase=10m | backoffBase = 10m has no effect because of backoffCap = 5m",
        "timeout=auto timeoutMax=100ms | timeoutMax = 100ms has no effect because of timeoutMin = 1s",
        "timeout=10s timeoutMin=5s | timeoutMin = 5s has no effect because of timeout = 10s",
        "growth=2 rate=5 | growth = 2 has no effect because of rate = 5",
        "growth=2 growthCeiling=4 growthFloor=9 | growthCeiling = 4 has no effect because of growthFloor = 9",
        "maxDepth=9 backPressure=accept | maxDepth = 9 has no effect because of backPressure = accept"
    })
    void a_setting_that_another_overrules_is_found(String settings, String expected) {
        put("acme", settings);

        assertThat(PolicyConflicts.in(policies, configured)).singleElement().asString()
                .startsWith("acme: " + expected).contains(": ");
    }

    @ParameterizedTest
    @CsvSource({
        "agedAfter=30m ttl=1h", "ttl=10s", "retryFor=20d", "retryFor=2h expireAfter=1h", "backoffCap=500ms",
        "timeout=auto timeoutMin=2s timeoutMax=5s", "growth=2", "rate=5 burst=10", "backPressure=accept",
        "maxDepth=9", "ttl=none agedAfter=2h"
    })
    void settings_that_have_an_effect_are_not(String settings) {
        put("acme", settings);

        assertThat(PolicyConflicts.in(policies, configured)).isEmpty();
    }

    @Test
    void a_destination_that_is_not_set_is_found_and_one_that_is_set_is_not() {
        put("acme", "destination=crm");
        put("bolt", "destination=none");
        policies.put("bolt/hook", TenantPolicies.encode("bolt", new Subscription(
                "hook", "*", PolicySettings.NONE_SET.with(PolicyField.DESTINATION, "erp"))));

        assertThat(PolicyConflicts.in(policies, configured)).containsExactly(
                "acme: destination = crm has no effect: it is not set. Set it: spillway destinations set crm",
                "bolt/hook: destination = erp has no effect: it is not set. Set it: spillway destinations set erp");

        put("/crm", "attempts=3");
        put("/erp", "attempts=3");
        assertThat(PolicyConflicts.in(policies, configured)).isEmpty();
    }

    @Test
    void a_tenant_may_be_an_exception_of_the_settings_of_all() {
        put("*", "agedAfter=2h");
        put("acme", "ttl=1h");

        assertThat(PolicyConflicts.in(policies, configured)).isEmpty();
    }

    @Test
    void a_tenants_own_setting_that_one_of_all_overrules_is_found_once() {
        put("*", "ttl=1h");
        put("acme", "agedAfter=2h");

        assertThat(PolicyConflicts.in(policies, configured)).singleElement().asString().startsWith("acme: agedAfter");
    }

    @Test
    void a_conflict_of_the_configuration_is_found_once_and_not_for_each_tenant() {
        PolicySettings defaults = PolicySettings.NONE_SET.with(PolicyField.AGED_AFTER, "2h")
                .with(PolicyField.TTL, "1h");
        TenantPolicies of = new TenantPolicies(defaults);
        of.put("acme", TenantPolicies.encode("acme", PolicySettings.NONE_SET.with(PolicyField.WEIGHT, "2")));

        assertThat(PolicyConflicts.in(of, defaults)).singleElement().asString().startsWith("*: agedAfter");
    }

    @Test
    void a_workload_cannot_have_more_slots_than_its_tenant() {
        PolicySettings limited = PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, "5")
                .withWorkload("mail", WorkloadPolicy.DEFAULT.with(PolicyField.CONCURRENCY, 8L))
                .withWorkload("sms", WorkloadPolicy.DEFAULT.with(PolicyField.CONCURRENCY, 5L));
        policies.put("acme", TenantPolicies.encode("acme", limited));

        assertThat(PolicyConflicts.in(policies, configured)).containsExactly(
                "acme: concurrency = 8 of the workload mail has no effect because of concurrency = 5 of the tenant");
    }

    private void put(String tenant, String settings) {
        PolicySettings all = PolicySettings.NONE_SET;
        for (String setting : settings.split(" ")) {
            String[] parts = setting.split("=");
            PolicyField field = Arrays.stream(PolicyField.values())
                    .filter(each -> each.key().equals(parts[0])).findAny().orElseThrow();
            all = all.with(field, parts[1]);
        }
        policies.put(tenant, TenantPolicies.encode(tenant, all));
    }
}
