package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.handler.Receiver;
import io.spillway.kafka.codec.RecordCodec;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TenantPoliciesTest {
    private final TenantPolicies policies = new TenantPolicies(settings("attempts=7 ttl=1h"));

    /**
     * Steps are {@code KEY:setting=value} for a put, {@code KEY:} for an empty put, {@code -KEY} for a removal. The
     * expected values are the attempts of acme, and of bolt, which has no policy of its own.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                                       | steps                                           | acme | bolt
            the configured defaults hold at first        | ''                                              |    7 |    7
            a tenant's own settings win                  | acme:attempts=2                                 |    2 |    7
            all tenants' settings win over the defaults  | *:attempts=3                                    |    3 |    3
            a tenant's own win over those of all         | *:attempts=3 acme:attempts=2                    |    2 |    3
            in whichever order they come                 | acme:attempts=2 *:attempts=3                    |    2 |    3
            what a tenant does not set comes from all    | acme:rate=5 *:attempts=3                        |    3 |    3
            and changes with them                        | acme:rate=5 *:attempts=3 *:attempts=4           |    4 |    4
            and falls back when they are removed         | acme:rate=5 *:attempts=3 -*                     |    7 |    7
            a removed policy is gone                     | acme:attempts=2 -acme                           |    7 |    7
            a removed one falls back to that of all      | *:attempts=3 acme:attempts=2 -acme              |    3 |    3
            all are removed, the tenant's own stay       | *:attempts=3 acme:attempts=2 -*                 |    2 |    7
            a policy replaces the one before it whole    | acme:attempts=2 acme:rate=5                     |    7 |    7
            a policy that sets nothing changes nothing   | *:attempts=3 acme:                              |    3 |    3
            what was never there can be removed          | -acme -* -acme                                  |    7 |    7
            """)
    void own_settings_precede_those_of_all_tenants_and_the_defaults(String what, String steps, int acme, int bolt) {
        for (String step : steps.isEmpty() ? new String[0] : steps.split(" ")) {
            if (step.startsWith("-")) {
                policies.remove(step.substring(1));
            } else {
                String[] keyAndSettings = step.split(":", 2);
                put(keyAndSettings[0], keyAndSettings[1]);
            }
        }
        assertThat(policies.of("acme").attempts()).isEqualTo(acme);
        assertThat(policies.of("bolt").attempts()).isEqualTo(bolt);
        assertThat(policies.of("bolt").ttlMillis()).as("the configured default").isEqualTo(3_600_000);
        assertThat(policies.of("bolt").timeoutMillis()).as("the built-in default").isEqualTo(30_000);
    }

    /** As many tenants as router.maxTenants have a policy of their own. */
    @Test
    void the_policy_of_all_tenants_has_room_in_a_full_view() {
        put("acme", "attempts=2");
        put("bolt", "attempts=2");

        assertThat(policies.hasRoomFor("*", 2)).isTrue();
        assertThat(policies.hasRoomFor("acme", 2)).as("a change").isTrue();
        assertThat(policies.hasRoomFor("corp", 2)).isFalse();
        assertThat(policies.hasRoomFor("corp", 3)).isTrue();
    }

    @Test
    void a_subscription_adds_its_settings_to_those_in_force_for_its_tenant() {
        put("acme", "attempts=2");
        subscribe("acme", "hook", "timeout=3s");
        assertThat(policies.of("acme", "~hook").attempts()).isEqualTo(2);
        assertThat(policies.of("acme", "~hook").timeoutMillis()).isEqualTo(3_000);
        assertThat(policies.context("acme", "~hook").policy()).as("it is made once")
                .isSameAs(policies.of("acme", "~hook"));
        assertThat(policies.of("acme", "hook")).as("a workload of the same name").isSameAs(policies.of("acme"));
        assertThat(policies.of("acme", "~other")).isSameAs(policies.of("acme"));
        assertThat(policies.of("bolt", "~hook")).isSameAs(policies.of("bolt"));

        put("acme", "attempts=9");
        assertThat(policies.of("acme", "~hook").attempts()).as("it follows its tenant").isEqualTo(9);
        subscribe("acme", "hook", "timeout=4s");
        assertThat(policies.of("acme", "~hook").timeoutMillis()).isEqualTo(4_000);
        policies.remove("acme");
        assertThat(policies.of("acme", "~hook").attempts()).isEqualTo(7);
        policies.remove("acme/hook");
        assertThat(policies.of("acme", "~hook")).isSameAs(policies.of("acme"));
        assertThat(policies.subscribed()).isEmpty();
    }

    @Test
    void subscriptions_count_as_entries_and_are_no_tenants() {
        put("acme", "attempts=2");
        subscribe("acme", "hook", "timeout=3s");
        assertThat(policies.names()).containsExactly("acme");
        assertThat(policies.keys()).containsExactlyInAnyOrder("acme", "acme/hook");
        assertThat(policies.hasRoomFor("acme/hook", 2)).as("a change").isTrue();
        assertThat(policies.hasRoomFor("acme/other", 2)).isFalse();
        assertThat(policies.hasRoomFor("bolt", 2)).isFalse();
        assertThat(policies.hasRoomFor("acme/other", 3)).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> policies.put("acme/a b", subscription("timeout=3s")));
        assertThatIllegalArgumentException().isThrownBy(() -> policies.put("acme/b", encoded(Map.of())));
        policies.put("acme/hook", new RecordCodec<>(new io.spillway.schema.TenantPolicy()).encode(
                new io.spillway.schema.TenantPolicy("acme", Map.of("rate", 5.0), Map.of(), "orders-*")));
        assertThat(policies.subscription("acme", "hook").orElseThrow().settings().values())
                .as("what a later release may allow").isEmpty();
        assertThat(policies.subscription("acme", "hook")).map(Subscription::pattern).contains("orders-*");
    }

    @Test
    void a_destination_adds_its_settings_to_those_of_each_who_names_it() {
        put("/crm", "attemptRate=10 concurrency=3 timeout=2s attempts=9 url=http://crm/");
        put("acme", "destination=crm attempts=2");
        subscribe("bolt", "hook", "destination=crm timeout=3s");
        TenantPolicy acme = policies.of("acme");
        assertThat(acme.attempts()).as("its own").isEqualTo(2);
        assertThat(acme.timeoutMillis()).isEqualTo(2_000);
        assertThat(acme.receiver()).map(Receiver::url).contains("http://crm/");
        assertThat(acme.attemptRate()).as("a limit of all together").isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(acme.concurrency()).isEqualTo(Integer.MAX_VALUE);
        assertThat(acme.destination()).map(named -> named.limits().attemptRate()).contains(10.0);
        assertThat(acme.destination()).map(named -> named.limits().concurrency()).contains(3);
        TenantPolicy hook = policies.of("bolt", "~hook");
        assertThat(hook.timeoutMillis()).as("its own").isEqualTo(3_000);
        assertThat(hook.attempts()).isEqualTo(9);
        assertThat(hook.destination()).isEqualTo(acme.destination());
        assertThat(policies.of("bolt").destination()).isEmpty();
        assertThat(policies.inForce("acme").json()).containsEntry("timeoutMillis", 2_000L)
                .containsEntry("attempts", 2L);

        put("/crm", "attemptRate=20");
        assertThat(policies.of("acme").timeoutMillis()).as("it follows a change").isEqualTo(30_000);
        assertThat(policies.of("bolt", "~hook").destination()).map(named -> named.limits().attemptRate())
                .contains(20.0);
        policies.remove("/crm");
        assertThat(policies.of("acme").destination()).map(named -> named.limits().attemptRate())
                .as("a name without settings").contains(Double.POSITIVE_INFINITY);
        put("acme", "attempts=2");
        put("/crm", "attempts=9");
        assertThat(policies.of("acme").destination()).isEmpty();
        assertThat(policies.of("acme").attempts()).isEqualTo(2);
    }

    @Test
    void a_destination_may_be_that_of_all_tenants_and_one_with_a_url_of_its_own_has_another() {
        put("*", "destination=crm timeout=5s");
        put("acme", "attempts=2");
        subscribe("acme", "same", "attempts=4");
        subscribe("acme", "own", "url=http://else/");
        subscribe("acme", "none", "destination=none");
        put("/crm", "attempts=9 timeout=2s");
        assertThat(policies.of("bolt").attempts()).isEqualTo(9);
        assertThat(policies.of("bolt").timeoutMillis()).as("before what is set for all").isEqualTo(2_000);
        assertThat(policies.of("acme").attempts()).isEqualTo(2);
        assertThat(policies.of("acme", "~same").destination()).map(NamedDestination::name).contains("crm");
        assertThat(policies.of("acme", "~own").destination()).isEmpty();
        assertThat(policies.of("acme", "~none").destination()).isEmpty();
    }

    @Test
    void destinations_count_as_entries_and_are_no_tenants() {
        put("/crm", "attempts=9");
        put("acme", "attempts=2");
        assertThat(policies.names()).containsExactly("acme");
        assertThat(policies.subscribed()).isEmpty();
        assertThat(policies.keys()).containsExactlyInAnyOrder("acme", "/crm");
        assertThat(policies.contains("/crm")).isTrue();
        assertThat(policies.contains("/other")).isFalse();
        assertThat(policies.hasRoomFor("/crm", 2)).as("a change").isTrue();
        assertThat(policies.hasRoomFor("/other", 2)).isFalse();
        assertThat(policies.ofMeasured("/crm").attempts()).isEqualTo(9);
        assertThat(policies.ofMeasured("acme").attempts()).isEqualTo(2);
        put("/crm", "attempts=9 weight=4");
        assertThat(policies.destinations().get("crm").settings()).as("what a later release may allow")
                .isEqualTo(settings("attempts=9"));
    }

    @Test
    void a_setting_of_none_overrides_a_lower_level() {
        put("acme", "ttl=none");
        assertThat(policies.of("acme").ttlMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(policies.of("bolt").ttlMillis()).isEqualTo(3_600_000);
    }

    @Test
    void an_automatic_timeout_overrides_a_fixed_one_of_a_lower_level() {
        put("*", "timeout=9s");
        put("acme", "timeout=auto");
        assertThat(policies.of("acme").timeoutAuto()).isTrue();
        assertThat(policies.of("acme").timeoutMillis()).isEqualTo(30_000);
        assertThat(policies.of("bolt").timeoutAuto()).isFalse();
        assertThat(policies.of("bolt").timeoutMillis()).isEqualTo(9_000);
    }

    @Test
    void an_invalid_record_leaves_the_policy_unchanged() {
        put("acme", "attempts=2");
        TenantPolicy before = policies.of("acme");
        byte[] whole = TenantPolicies.encode("acme", settings("attempts=9"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policies.put("acme", Arrays.copyOf(whole, whole.length - 1)));
        assertThatIllegalArgumentException().isThrownBy(() -> policies.put("*", new byte[3]));
        assertThat(policies.of("acme")).isEqualTo(before);
        assertThat(policies.of("bolt").attempts()).isEqualTo(7);
        assertThat(policies.size()).isEqualTo(1);
    }

    @Test
    void keys_with_a_policy_are_known() {
        put("acme", "attempts=2");
        put("*", "rate=1");
        assertThat(policies.size()).isEqualTo(2);
        assertThat(policies.contains("acme")).isTrue();
        assertThat(policies.contains("*")).isTrue();
        assertThat(policies.contains("bolt")).isFalse();
        policies.remove("acme");
        assertThat(policies.contains("acme")).isFalse();
        assertThat(policies.size()).isEqualTo(1);
    }

    @Test
    void the_same_policy_object_is_returned_until_it_changes() {
        put("acme", "attempts=2");
        assertThat(policies.of("acme")).isSameAs(policies.of("acme"));
        assertThat(policies.of("bolt")).isSameAs(policies.of("other"));
    }

    @Test
    void tenants_with_equal_settings_share_a_policy() {
        put("acme", "attempts=2");
        put("bolt", "attempts=2");
        assertThat(policies.of("bolt")).isSameAs(policies.of("acme"));
        put("*", "rate=1");
        assertThat(policies.of("bolt")).isSameAs(policies.of("acme"));
    }

    @Test
    void settings_are_returned_as_stored() {
        put("bolt", "rate=1");
        put("*", "ttl=none");
        put("acme", "");
        put("gone", "");
        policies.remove("gone");
        assertThat(policies.all()).containsExactly(
                Map.entry("*", settings("ttl=none")),
                Map.entry("acme", PolicySettings.NONE_SET),
                Map.entry("bolt", settings("rate=1")));
        assertThat(policies.size()).isEqualTo(3);
        assertThat(policies.contains("*")).isTrue();
        assertThat(policies.contains("gone")).isFalse();
        assertThat(policies.own("bolt")).isEqualTo(settings("rate=1"));
        assertThat(policies.own("gone")).isEqualTo(PolicySettings.NONE_SET);
        assertThat(policies.inForce("bolt"))
                .isEqualTo(PolicySettings.DEFAULTS.with(PolicyField.RATE, "1").with(PolicyField.ATTEMPTS, "7")
                        .with(PolicyField.TTL, "none"));
    }

    private void put(String key, String settings) {
        policies.put(key, TenantPolicies.encode(key, settings(settings)));
    }

    /** Parses settings written as {@code key=value}, separated by spaces. */
    private static PolicySettings settings(String text) {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (String setting : text.isEmpty() ? new String[0] : text.split(" ")) {
            String[] parts = setting.split("=");
            settings = settings.with(field(parts[0]), parts[1]);
        }
        return settings;
    }

    private static PolicyField field(String key) {
        return Arrays.stream(PolicyField.values()).filter(each -> each.key().equals(key)).findFirst().orElseThrow();
    }

    @Test
    void limits_of_workloads_are_stored_and_apply() {
        PolicySettings settings = PolicySettings.NONE_SET
                .withWorkload("mail", new WorkloadPolicy(2, 5))
                .withWorkload("export", new WorkloadPolicy(0.5, Integer.MAX_VALUE, Double.POSITIVE_INFINITY, true));
        assertThat(TenantPolicies.decode(TenantPolicies.encode("acme", settings))).isEqualTo(settings);

        TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
        policies.put("acme", TenantPolicies.encode("acme", settings));
        assertThat(policies.of("acme").workload("mail")).isEqualTo(new WorkloadPolicy(2, 5));
        assertThat(policies.of("acme").isPaused("export")).isTrue();
        assertThat(policies.of("acme").isPaused("mail")).isFalse();
        assertThat(policies.of("acme").maxDrainMillis()).as("what is held does not drain").isEqualTo(Long.MAX_VALUE);
        assertThat(policies.of("other").workload("mail")).isEqualTo(WorkloadPolicy.DEFAULT);
    }

    @Test
    void of_a_record_with_too_many_workloads_the_first_100_with_valid_names_count() {
        Map<String, Map<String, Object>> limits = new HashMap<>(Map.of("no name", Map.of("weight", 1.0)));
        for (int i = 100; i < 250; i++) {
            limits.put("w" + i, Map.of("concurrency", 7L));
        }
        PolicySettings read = TenantPolicies.decode(encoded(limits));
        assertThat(read.workloads()).hasSize(100).containsKeys("w100", "w199").doesNotContainKeys("w200", "no name");

        byte[] invalid = encoded(Map.of("w", Map.of("concurrency", 1L << 40)));
        assertThatIllegalArgumentException().isThrownBy(() -> TenantPolicies.decode(invalid))
                .withMessage("concurrency = 1099511627776: must be 1 to 100000, or none");
    }

    @Test
    void it_is_known_whether_any_tenant_is_tracked() {
        policies.put("acme", TenantPolicies.encode("acme", settings("attempts=3")));
        assertThat(policies.tracksAny()).isFalse();
        policies.put("acme", TenantPolicies.encode("acme", settings("tracked=true")));
        assertThat(policies.tracksAny()).isTrue();
        policies.remove("acme");
        assertThat(policies.tracksAny()).isFalse();
        policies.put("*", TenantPolicies.encode("*", settings("tracked=true")));
        assertThat(policies.tracksAny()).isTrue();
        policies.remove("*");
        assertThat(policies.tracksAny()).isFalse();
    }

    private void subscribe(String tenant, String name, String settings) {
        policies.put(tenant + "/" + name, subscription(settings));
    }

    private static byte[] subscription(String settings) {
        return TenantPolicies.encode("acme", new Subscription("any", "orders-*", settings(settings)));
    }

    private static byte[] encoded(Map<String, Map<String, Object>> workloads) {
        return new RecordCodec<>(new io.spillway.schema.TenantPolicy())
                .encode(new io.spillway.schema.TenantPolicy("acme", Map.of(), workloads, ""));
    }
}
