package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriptionTest {
    @ParameterizedTest(name = "{0} gets {1}: {2}")
    @CsvSource(quoteCharacter = '"', textBlock = """
            orders,    orders,      true
            orders,    orders-eu,   false
            orders,    "",          false
            orders-*,  orders-eu,   true
            orders-*,  orders-,     true
            orders-*,  orders,      false
            *,         orders,      true
            *,         "",          true
            *,         spillway.paused, false
            spillway.*,spillway.paused, true
            spillway.paused,spillway.paused,true
            """)
    void a_pattern_is_one_workload_or_what_workloads_begin_with(String pattern, String workload, boolean matches) {
        assertThat(subscription("hook", pattern).matches(workload)).isEqualTo(matches);
    }

    @ParameterizedTest(name = "{0} with {1}: {2}")
    @CsvSource(quoteCharacter = '"', textBlock = """
            a/b,       *,         name = a/b: must be at most 127 characters
            "",        *,         name = : must be at most 127 characters
            hook,      "",        workloads = : must be a workload
            hook,      a*b,       workloads = a*b: must be a workload
            hook,      a b,       workloads = a b: must be a workload
            hook,      **,        workloads = **: must be a workload
            hook,      ~other,    workloads = ~other: must be a workload
            hook,      ~*,        workloads = ~*: must be a workload
            """)
    void what_cannot_be_a_name_or_a_pattern_is_refused_with_its_key(String name, String pattern, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> subscription(name, pattern))
                .withMessageStartingWith(message);
    }

    @Test
    void a_name_has_room_for_the_mark_of_its_workload() {
        assertThat(subscription("n".repeat(127), "*").workload()).hasSize(128).startsWith("~n");
        assertThatIllegalArgumentException().isThrownBy(() -> subscription("n".repeat(128), "*"));
    }

    @Test
    void only_settings_of_an_attempt_of_a_workload_and_of_an_end_can_be_set() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Subscription("hook", "*", PolicySettings.NONE_SET.with(PolicyField.RATE, "1")))
                .withMessage("rate: a subscription cannot have it");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Subscription("hook", "*",
                        new PolicySettings(Map.of(), Map.of("w", new WorkloadPolicy(2, 1)))))
                .withMessageContaining("no limits of workloads");
    }

    @ParameterizedTest(name = "{0} at a time")
    @CsvSource({"1", "2", "7", "500"})
    void pages_have_each_match_once_in_the_order_of_the_names(int most) {
        NavigableMap<String, Subscription> all = new TreeMap<>();
        IntStream.range(0, 100).mapToObj(i -> subscription("s" + (1_000 + i), i % 3 == 0 ? "a" : "b"))
                .forEach(each -> all.put(each.name(), each));
        List<String> found = new ArrayList<>();
        Subscription.Page page = Subscription.matching(all, "a", "", most);
        page.found().forEach(each -> found.add(each.name()));
        while (page.next().isPresent()) {
            assertThat(page.found()).hasSizeLessThanOrEqualTo(most);
            page = Subscription.matching(all, "a", page.next().get(), most);
            page.found().forEach(each -> found.add(each.name()));
        }
        assertThat(found).isEqualTo(all.values().stream().filter(each -> each.pattern().equals("a"))
                .map(Subscription::name).toList());
    }

    @Test
    void a_page_ends_after_ten_thousand_looks_also_without_a_match() {
        NavigableMap<String, Subscription> all = new TreeMap<>();
        IntStream.range(0, 10_001).mapToObj(i -> subscription("s" + (100_000 + i), i == 10_000 ? "a" : "b"))
                .forEach(each -> all.put(each.name(), each));
        Subscription.Page first = Subscription.matching(all, "a", "", 5);
        assertThat(first.found()).isEmpty();
        assertThat(first.next()).contains("s109999");
        assertThat(Subscription.matching(all, "a", "s109999", 5).found()).hasSize(1);
    }

    @Test
    void the_policy_of_deliveries_is_that_of_the_tenant_with_the_subscriptions_settings() {
        TenantPolicy tenant = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, "9")
                .with(PolicyField.ATTEMPTS, "3").with(PolicyField.RATE, "5")
                .withWorkload("mail", new WorkloadPolicy(2, 4)));
        TenantPolicy policy = tenant.with(new Subscription("hook", "*",
                PolicySettings.NONE_SET.with(PolicyField.ATTEMPTS, "8").with(PolicyField.CONCURRENCY, "2")
                        .with(PolicyField.PAUSED, "true")), Optional.empty());
        assertThat(policy.attempts()).isEqualTo(8);
        assertThat(policy.timeoutMillis()).isEqualTo(tenant.timeoutMillis());
        assertThat(policy.rateLimit()).isEqualTo(tenant.rateLimit());
        assertThat(policy.concurrency()).as("that of the tenant").isEqualTo(9);
        assertThat(policy.workload("~hook")).isEqualTo(new WorkloadPolicy(1, 2, Double.POSITIVE_INFINITY, true));
        assertThat(policy.isPaused("~hook")).isTrue();
        assertThat(policy.paused()).isFalse();
        assertThat(tenant.attempts()).as("it stays as it is").isEqualTo(3);
        assertThat(tenant.with(subscription("hook", "*"), Optional.empty())).as("without settings").isSameAs(tenant);
    }

    private static Subscription subscription(String name, String pattern) {
        return new Subscription(name, pattern, PolicySettings.NONE_SET);
    }
}
