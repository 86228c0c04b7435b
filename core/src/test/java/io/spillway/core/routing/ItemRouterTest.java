package io.spillway.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.ratelimit.RateTable;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ItemRouterTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long MINUTE = 60_000;
    private static final RateLimit ONE_A_MINUTE = RateLimit.of(1.0 / 60, 1);

    private final RateTable rates = new RateTable(10);

    /** Ages and times before now in milliseconds. The policy: aged after 5 minutes, time to live of one hour. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                     |     age | sweepable | sweep started | expected
            a fresh item goes to hot                   |       0 | true      |             - | HOT
            exactly aged-after is still hot            |  300000 | true      |             - | HOT
            one more is aged                           |  300001 | true      |             - | AGED
            exactly the time to live is still aged     | 3600000 | true      |             - | AGED
            one more has expired                       | 3600001 | true      |             - | PAST_TTL
            made when the sweep started: not covered   |    1000 | true      |          1000 | HOT
            made just before it: covered               |    1001 | true      |          1000 | SWEPT
            made just after it: not covered            |     999 | true      |          1000 | HOT
            covered, but the tenant is not sweepable   |    1001 | false     |          1000 | HOT
            an aged item that is covered is dropped    |  300001 | true      |          1000 | SWEPT
            sweep comes before time to live            | 3600001 | true      |          1000 | SWEPT
            time to live for one not sweepable         | 3600001 | false     |          1000 | PAST_TTL
            time to live comes before aged             | 9999999 | true      |             - | PAST_TTL
            a time before the first sweep of all       |    1000 | true      | 1800000000000 | HOT
            """)
    void the_first_matching_rule_decides(
            String what, long age, boolean sweepable, Long sweepStartedBefore, String expected) {
        TenantPolicy policy = policy("5m", "1h", sweepable, "none");
        long sweepStart = sweepStartedBefore == null ? ItemEnds.NO_SWEEP_MILLIS : NOW - sweepStartedBefore;
        assertThat(route(policy, NOW - age, sweepStart)).isEqualTo(named(expected));
    }

    @Test
    void an_item_over_its_rate_goes_to_overflow() {
        TenantPolicy policy = policy("5m", "1h", false, "10");
        for (int i = 0; i < 10; i++) {
            assertThat(route(policy, NOW)).as("item %s", i).isEqualTo(Route.HOT);
        }
        assertThat(route(policy, NOW)).isEqualTo(Route.OVERFLOW);
        assertThat(routeAt(policy, NOW, NOW, NOW + 100)).isEqualTo(Route.HOT);
        assertThat(routeAt(policy, NOW, NOW, NOW + 100)).isEqualTo(Route.OVERFLOW);
    }

    @Test
    void only_items_that_no_earlier_rule_takes_use_the_rate() {
        TenantPolicy policy = policy("5m", "1h", true, "1");
        for (int i = 0; i < 100; i++) {
            assertThat(route(policy, NOW - 61 * MINUTE)).isEqualTo(Route.PAST_TTL);
            assertThat(route(policy, NOW - 6 * MINUTE)).isEqualTo(Route.AGED);
            assertThat(route(policy, NOW - 1, NOW)).isEqualTo(Route.SWEPT);
        }
        assertThat(rates.size()).isZero();
        assertThat(route(policy, NOW)).as("the whole burst is available").isEqualTo(Route.HOT);
        assertThat(route(policy, NOW)).isEqualTo(Route.OVERFLOW);
    }

    @Test
    void an_old_item_over_its_rate_is_aged_and_not_overflow() {
        TenantPolicy policy = policy("5m", "1h", false, "1");
        assertThat(route(policy, NOW)).isEqualTo(Route.HOT);
        assertThat(route(policy, NOW - 6 * MINUTE)).isEqualTo(Route.AGED);
    }

    @Test
    void none_disables_a_rule() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.AGED_AFTER, "none")
                .with(PolicyField.RETRY_FOR, "none").with(PolicyField.EXPIRE_AFTER, "none"));
        for (int i = 0; i < 10_000; i++) {
            assertThat(route(policy, ItemLimits.EARLIEST_MILLIS)).isEqualTo(Route.HOT);
        }
        assertThat(rates.size()).as("without a rate there is no state").isZero();
    }

    /** A replay resets the age, but a sweep has handled what it covers. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                        | age     | replayed | sweep | expected
            past its time to live but replayed            | 9999999 |        0 |     - | HOT
            past aged-after but replayed                  |  400000 |   300000 |     - | HOT
            and aged again after the replay               | 9999999 |   300001 |     - | AGED
            and expired again after the replay            | 9999999 |  3600001 |     - | PAST_TTL
            replayed after the sweep, and covered by it   | 9999999 |        0 |  5000 | SWEPT
            """)
    void after_a_replay_age_counts_from_it_and_sweeps_from_the_enqueue_time(
            String what, long age, long replayedBefore, Long sweepStartedBefore, String expected) {
        TenantPolicy policy = policy("5m", "1h", true, "none");
        long sweepStart = sweepStartedBefore == null ? ItemEnds.NO_SWEEP_MILLIS : NOW - sweepStartedBefore;
        assertThat(route(acme(policy), "", NOW - age, NOW - replayedBefore, false, policy.rateLimit(),
                sweepStart, NOW, rates))
                .isEqualTo(named(expected));
    }

    /** The policy: aged after 5 minutes, retried for 6 hours, expired after 14 days. Ages are in milliseconds. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                  |        age | replayed | attempted | ttl  | swept | expected
            a retry just before retryFor is aged    |   21599999 |        - | true      | none | -     | AGED
            and ends at it                          |   21600000 |        - | true      | none | -     | retry-time-over
            which does not apply without an attempt |   21600000 |        - | false     | none | -     | AGED
            just before expireAfter it is aged      | 1209599999 |        - | false     | none | -     | AGED
            and expires at it                       | 1209600000 |        - | false     | none | -     | expired
            a retry of that age has ended           | 1209600000 |        - | true      | none | -     | retry-time-over
            a replay of an old item counts anew     | 1209600000 |        0 | false     | none | -     | HOT
            and its retries                         | 1209600000 | 21599999 | true      | none | -     | AGED
            until retryFor after the replay         | 1209600000 | 21600000 | true      | none | -     | retry-time-over
            a sweep comes before the end            |   21600000 |        - | true      | none | 1000  | SWEPT
            and time to live                        |   21600000 |        - | true      | 1h   | -     | PAST_TTL
            a time to live beyond it does not       |   21600000 |        - | true      | 7h   | -     | retry-time-over
            """)
    void an_item_ends_by_time_whether_or_not_it_was_attempted(
            String what, long age, Long replayedBefore, boolean attempted, String ttl, Long sweptBefore,
            String expected) {
        TenantPolicy policy = policy("5m", ttl, true, "none");
        Route route = route(
                acme(policy), "", NOW - age, NOW - (replayedBefore == null ? age : replayedBefore), attempted,
                policy.rateLimit(), sweptBefore == null ? ItemEnds.NO_SWEEP_MILLIS : NOW - sweptBefore, NOW, rates);
        assertThat(route instanceof Route.DeadLetter dead ? dead.reason().label() : route)
                .isEqualTo(expected.contains("-") || expected.equals("expired") ? expected : named(expected));
    }

    @Test
    void the_dead_letter_of_an_end_names_the_limit_and_its_setting() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RETRY_FOR, "90m"));
        assertThat(Optional.of(route(acme(policy), "", 0, 0, true, Optional.empty(), 0, NOW, rates))).contains(
                new Route.DeadLetter(DeadReason.RETRY_TIME_OVER,
                        "still failing 90m after it was enqueued or replayed (retryFor)"));
        assertThat(Optional.of(route(acme(policy), "", 0, 0, false, Optional.empty(), 0, NOW, rates))).contains(
                new Route.DeadLetter(DeadReason.EXPIRED,
                        "no attempt within 14d after it was enqueued or replayed (expireAfter)"));
    }

    /** The policy: aged after 5 minutes, dropped after an hour, expired after 14 days, with a rate of 1. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                                | tenant | mail  | workload | age        | swept | expected
            nothing is paused                     | false  | false | mail     |          0 |     - | HOT
            the tenant is paused                  | true   | false | mail     |          0 |     - | PAUSED
            also for items without a workload     | true   | false | ''       |          0 |     - | PAUSED
            and for those that are old            | true   | false | mail     |     400000 |     - | PAUSED
            the workload is paused                | false  | true  | mail     |          0 |     - | PAUSED
            and old                               | false  | true  | mail     |     400000 |     - | PAUSED
            which does not concern another one    | false  | true  | export   |          0 |     - | HOT
            nor items without one                 | false  | true  | ''       |     400000 |     - | AGED
            past its time to live it is dropped   | true   | false | mail     |    3600001 |     - | PAST_TTL
            a sweep drops it too                  | true   | false | mail     |       5000 |  1000 | SWEPT
            and it ends at expireAfter            | true   | true  | mail     | 1209600000 |     - | expired
            """)
    void an_item_that_no_rule_drops_or_ends_is_held_while_it_is_paused(
            String what, boolean tenant, boolean mail, String workload, long age, Long sweptBefore, String expected) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.AGED_AFTER, "5m")
                .with(PolicyField.TTL, expected.equals("expired") ? "none" : "1h")
                .with(PolicyField.SWEEPABLE, "true").with(PolicyField.RATE, "1")
                .with(PolicyField.PAUSED, Boolean.toString(tenant))
                .withWorkload("mail", new WorkloadPolicy(1, Integer.MAX_VALUE, Double.POSITIVE_INFINITY, mail)));
        Route route = route(acme(policy), workload, NOW - age, NOW - age, false, policy.rateLimit(),
                sweptBefore == null ? ItemEnds.NO_SWEEP_MILLIS : NOW - sweptBefore, NOW, rates);
        assertThat(route instanceof Route.DeadLetter dead ? dead.reason().label() : route)
                .isEqualTo(expected.equals("expired") ? expected : named(expected));
        assertThat(rates.size()).as("a held item does not use the rate").isEqualTo(expected.equals("HOT") ? 1 : 0);
    }

    @Test
    void an_item_for_later_waits_in_delay_whether_or_not_its_tenant_is_paused_and_does_not_use_the_rate() {
        PolicySettings one = PolicySettings.NONE_SET.with(PolicyField.RATE, "1");
        for (PolicySettings settings : List.of(one, one.with(PolicyField.PAUSED, "true"))) {
            TenantPolicy policy = TenantPolicy.of(settings);
            assertThat(routeAt(policy, NOW, NOW + 1, NOW)).isEqualTo(Route.SCHEDULED);
            assertThat(rates.size()).isZero();
        }
        assertThat(routeAt(TenantPolicy.of(one), NOW, NOW + 1, NOW + 1)).as("when it is due").isEqualTo(Route.HOT);
    }

    @Test
    void an_item_goes_to_a_partition_of_the_lane_that_is_decided() {
        ItemPlacement placement = new ItemPlacement(new Fleet(ProtectionSettings.DEFAULT, 4),
                new ItemPlacement.Shards() {
                    @Override
                    public int ofTenant(TenantContext tenant, String workload, int[] into) {
                        into[0] = workload.equals("mail") ? 3 : 1;
                        return 1;
                    }

                    @Override
                    public int[] ofExcess(TenantContext tenant) {
                        return new int[] {0, 1, 2, 3};
                    }
                });
        ItemRouter router = new ItemRouter(
                new ItemEnds((tenant, workload, margin, now) -> ItemEnds.NO_SWEEP_MILLIS, ItemEnds.NO_FAILURES,
                        () -> 0), (tenant, policy) -> policy.rateLimit(), rates, placement);
        TenantContext tenant = acme(policy("5m", "none", false, "1"));
        ItemTimes fresh = ItemTimes.entered(NOW, NOW, NOW);
        assertThat(router.route(tenant, "mail", fresh, NOW)).isEqualTo(new ItemPlacement.Placed(Route.HOT, 3));
        assertThat(router.route(tenant, "", fresh, NOW)).isEqualTo(new ItemPlacement.Placed(Route.OVERFLOW, 1));
    }

    @Test
    void urgent_items_go_to_hot_within_the_budget_of_their_tenant_alone() {
        ItemRouter router = new ItemRouter(null, null, rates, new ItemPlacement(
                new Fleet(ProtectionSettings.DEFAULT, 4), new ItemPlacement.Shards() {
                    @Override
                    public int ofTenant(TenantContext tenant, String workload, int[] into) {
                        into[0] = 3;
                        return 1;
                    }

                    @Override
                    public int[] ofExcess(TenantContext tenant) {
                        throw new AssertionError("hot does not use it");
                    }
                }));
        TenantPolicy policy = policy("5m", "none", false, "1");
        ItemPlacement.Placed excess = new ItemPlacement.Placed(Route.SURPLUS, 1);
        ItemTimes fresh = ItemTimes.entered(NOW, NOW, NOW);
        for (int i = 0; i < 60; i++) {
            assertThat(router.urgent(acme(policy), "", fresh, excess, NOW))
                    .isEqualTo(new ItemPlacement.Placed(Route.HOT, 3));
        }
        assertThat(router.urgent(acme(policy), "", fresh, excess, NOW)).isSameAs(excess);
        assertThat(router.urgent(TenantContext.of("bolt", 0, policy), "", fresh, excess, NOW).route())
                .isEqualTo(Route.HOT);
        assertThat(router.urgent(acme(policy), "", new ItemTimes(NOW, NOW, NOW, 0, true), excess, NOW + 1_000).route())
                .as("a second later, of a retry").isEqualTo(Route.RETRIED);
        assertThat(rates.admit(acme(policy), ONE_A_MINUTE, NOW * 1_000_000)).as("its rate is another budget").isTrue();
    }

    @Test
    void each_tenant_has_its_own_rate() {
        TenantPolicy policy = policy("5m", "1h", false, "1");
        assertThat(route(acme(policy), "", NOW, NOW, false, policy.rateLimit(),
                ItemEnds.NO_SWEEP_MILLIS, NOW, rates))
                .isEqualTo(Route.HOT);
        assertThat(route(
                TenantContext.of("bolt", 0, policy), "", NOW, NOW, false, policy.rateLimit(),
                ItemEnds.NO_SWEEP_MILLIS, NOW, rates))
                .isEqualTo(Route.HOT);
        assertThat(rates.admit(acme(policy), ONE_A_MINUTE, NOW * 1_000_000)).as("the rules use this table").isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "946684799999, false", // the last millisecond of 1999
        "946684800000, true",
        "1799999999999, true",
        "1800000000000, true", // now
        "1800000000001, false",
        "0, false",
        "-1, false",
        "-9223372036854775808, false",
        "9223372036854775807, false"
    })
    void a_time_is_plausible_from_2000_until_now(long enqueuedAt, boolean plausible) {
        assertThat(ItemTimes.isPlausible(enqueuedAt, NOW)).isEqualTo(plausible);
    }

    @Test
    void the_detail_of_a_dead_letter_is_printable() {
        assertThat(new Route.DeadLetter(DeadReason.MALFORMED, "a\nb").detail()).isEqualTo("a\\u000ab");
    }

    private Route route(TenantPolicy policy, long enqueuedAt) {
        return route(policy, enqueuedAt, ItemEnds.NO_SWEEP_MILLIS);
    }

    private Route route(TenantPolicy policy, long enqueuedAt, long sweepStart) {
        return route(acme(policy), "", enqueuedAt, enqueuedAt, false, policy.rateLimit(), sweepStart, NOW,
                rates);
    }

    private Route routeAt(TenantPolicy policy, long enqueuedAt, long freshSince, long now) {
        return route(acme(policy), "", enqueuedAt, freshSince, false, policy.rateLimit(),
                ItemEnds.NO_SWEEP_MILLIS, now, rates);
    }

    private static Route route(
            TenantContext tenant, String workload, long sweepAt, long ageSince, boolean attempted,
            Optional<RateLimit> limit, long coveredBefore, long now, RateTable rates) {
        ItemEnds ends = new ItemEnds((name, of, margin, at) -> coveredBefore, ItemEnds.NO_FAILURES, () -> 0);
        return new ItemRouter(ends, (name, policy) -> limit, rates, null)
                .decide(tenant, workload, new ItemTimes(sweepAt, sweepAt, ageSince, 0, attempted), now);
    }

    private static TenantPolicy policy(String agedAfter, String ttl, boolean sweepable, String rate) {
        return TenantPolicy.of(PolicySettings.NONE_SET
                .with(PolicyField.AGED_AFTER, agedAfter)
                .with(PolicyField.TTL, ttl)
                .with(PolicyField.SWEEPABLE, Boolean.toString(sweepable))
                .with(PolicyField.RATE, rate));
    }

    private static Route named(String name) {
        return switch (name) {
            case "HOT" -> Route.HOT;
            case "AGED" -> Route.AGED;
            case "PAUSED" -> Route.PAUSED;
            case "PAST_TTL" -> Route.PAST_TTL;
            case "SWEPT" -> Route.SWEPT;
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static TenantContext acme(TenantPolicy policy) {
        return TenantContext.of("acme", 0, policy);
    }
}
