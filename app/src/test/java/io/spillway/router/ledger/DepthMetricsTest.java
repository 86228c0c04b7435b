package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.Seed;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Backlog metrics on a clock that is set. */
class DepthMetricsTest {
    private static final int MOST = 3;
    private static final long PERIOD_MILLIS = 10_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Depths depths = new Depths();
    private final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
    private final DepthMetrics metrics = new DepthMetrics(registry, MOST, depths, policies);
    private long nowMillis = 1_800_000_000_000L;

    @Test
    void the_deepest_tenants_have_series_and_the_rest_share_one_so_that_each_lane_adds_up() {
        for (int i = 1; i <= 50; i++) {
            setWaiting("t" + i, i % 2 == 0 ? ItemState.HOT : ItemState.DELAY, 10 * i);
        }
        measure();

        assertThat(names()).containsExactlyInAnyOrder("t50", "t49", "t48", TenantMeters.OTHERS);
        assertThat(depth("t50", ItemState.HOT)).isEqualTo(500);
        assertThat(depth("t50", ItemState.DELAY)).isZero();
        assertThat(depth("t49", ItemState.DELAY)).isEqualTo(490);
        assertThat(depth(TenantMeters.OTHERS, ItemState.HOT)).isEqualTo(10 * (25 * 26 - 50 - 48));
        assertThat(depth(TenantMeters.OTHERS, ItemState.DELAY)).isEqualTo(10 * (25 * 25 - 49));
        assertThat(depth(TenantMeters.OTHERS, ItemState.AGED)).isZero();
        assertThat(depthGauges()).as("%d names and the rest, in %d lanes", MOST, ItemState.WAITING.size())
                .hasSize((MOST + 1) * ItemState.WAITING.size());
    }

    @Test
    void dead_letters_are_counted_by_reason_beside_the_tenants() {
        String expired = LedgerOwner.of(DeadReason.EXPIRED);
        setBalance(expired, ItemState.DEAD_LETTER, 7, 4, FlowRates.startingAt(nowMillis));
        measure();
        assertThat(value("spillway.dead_letters_by_reason", "reason", "expired")).isEqualTo(3);
        assertThat(value("spillway.dead_letters_by_reason", "reason", "malformed")).isZero();
        assertThat(value("spillway.dead_letters", "tenant", TenantMeters.OTHERS)).isZero();
        assertThat(registry.find("spillway.dead_letters").tag("tenant", expired).gauge()).isNull();
    }

    @Test
    void a_flooding_tenant_gets_a_series_at_the_next_measurement() {
        for (int i = 0; i < MOST; i++) {
            setWaiting("early" + i, ItemState.HOT, 5 + i);
        }
        measure();
        setWaiting("noisy", ItemState.OVERFLOW, 1_000_000);
        measure();

        assertThat(names()).containsExactlyInAnyOrder("noisy", "early1", "early2", TenantMeters.OTHERS);
        assertThat(depth("noisy", ItemState.OVERFLOW)).isEqualTo(1_000_000);
        assertThat(depth(TenantMeters.OTHERS, ItemState.OVERFLOW)).isZero();
        assertThat(depth(TenantMeters.OTHERS, ItemState.HOT)).isEqualTo(5);
    }

    @Test
    void a_tenant_keeps_its_series_unless_another_backlog_is_four_times_as_deep() {
        for (int i = 0; i < MOST; i++) {
            setWaiting("early" + i, ItemState.HOT, 10);
        }
        measure();
        for (int i = 0; i < 2 * MOST; i++) {
            setWaiting("deeper" + i, ItemState.HOT, 39);
        }
        for (int measurements = 0; measurements < 200; measurements++) {
            measure();
        }
        assertThat(names()).containsExactlyInAnyOrder("early0", "early1", "early2", TenantMeters.OTHERS);
    }

    @Test
    void a_drained_tenant_is_zero_at_once_and_loses_its_series_later() {
        setWaiting("a", ItemState.HOT, 10);
        setWaiting("b", ItemState.HOT, 20);
        measure();
        setWaiting("a", ItemState.HOT, 0);
        depths.remove("b");

        assertThat(depth("a", ItemState.HOT)).isZero();
        assertThat(depth("b", ItemState.HOT)).isZero();
        assertThat(depth(TenantMeters.OTHERS, ItemState.HOT)).isZero();
        for (int measurements = 0; measurements < 100; measurements++) {
            measure();
        }
        assertThat(names()).containsExactly(TenantMeters.OTHERS);
        assertThat(depthGauges()).hasSize(ItemState.WAITING.size());
    }

    @ParameterizedTest
    @CsvSource({
        // entered and left before, and 10 s later; seconds
        "0,    0,     0,    0,   0",
        "1000, 0,  1000,  200,  40",
        "1000, 0,  1100,  200,  90",
        "1000, 0,  1200,  200,  Infinity",
        "1000, 0,  1000,    0,  Infinity",
        "1000, 0,  1000, 1000,  0",
    })
    void the_drain_time_is_the_backlog_divided_by_the_net_rate(
            long entered, long left, long enteredLater, long leftLater, double seconds) {
        setBalance("a", ItemState.AGED, entered, left, FlowRates.startingAt(nowMillis));
        measure();
        setBalance("a", ItemState.AGED, enteredLater, leftLater, FlowRates.startingAt(nowMillis));
        measure();

        assertThat(drainSeconds(ItemState.AGED)).isEqualTo(seconds);
        assertThat(drainSeconds(ItemState.HOT)).isZero();
    }

    @Test
    void the_forecast_of_a_steady_drain_is_exact_from_the_first_rates_on() {
        setBalance("a", ItemState.HOT, 10_000, 0, FlowRates.startingAt(nowMillis));
        measure();
        for (int measurements = 1; measurements <= 20; measurements++) {
            setBalance("a", ItemState.HOT, 10_000, 100L * measurements, FlowRates.startingAt(nowMillis));
            measure();
            assertThat(drainSeconds(ItemState.HOT)).as("measurement %d", measurements)
                    .isCloseTo((10_000 - 100 * measurements) / 10.0, within(1e-6));
        }
    }

    @ParameterizedTest
    @CsvSource({
        // items, that come and go a second, time to live; tenants that are late
        "1000, 0,  10,  1m, 1",
        "1000, 0,  10, 99s, 1",
        "1000, 0,  10, 2m, 0",
        "1000, 10, 10, 1h, 1",
        "1000, 10, 10, none, 0",
        "10,   10, 10, 1h, 0",
        "11,   10, 10, 1h, 1",
        "1,    10,  0, 1h, 1",
        "0,    10, 10, 1s, 0",
    })
    void a_tenant_is_late_if_its_backlog_drains_after_the_time_to_live(long items, double in, double out, String ttl,
            int late) {
        policies.put("a", TenantPolicies.encode("a", PolicySettings.NONE_SET.with(PolicyField.TTL, ttl)));
        setBalance("a", ItemState.HOT, items, 0, new FlowRates(in, out, nowMillis));
        policies.put("without", TenantPolicies.encode(
                "without", PolicySettings.NONE_SET.with(PolicyField.EXPIRE_AFTER, "none")));
        setBalance("without", ItemState.HOT, 1_000_000, 0, new FlowRates(10, 0, nowMillis));
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).isEqualTo(late);

        depths.remove("a");
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).as("gone").isZero();
    }

    @Test
    void dead_letters_count_while_they_are_neither_replayed_nor_discarded() {
        assertThat(dead(TenantMeters.OTHERS)).as("before the first").isZero();
        for (int i = 1; i <= MOST + 2; i++) {
            setBalance("t" + i, ItemState.DEAD_LETTER, i, 0, new FlowRates(0, 0, nowMillis));
        }
        measure();
        assertThat(dead("t" + (MOST + 2))).isEqualTo(MOST + 2);
        assertThat(dead(TenantMeters.OTHERS)).as("t1 and t2").isEqualTo(3);
        assertThat(value("spillway.tenants_with_dead_letters")).isEqualTo(MOST + 2);

        setBalance("t" + (MOST + 2), ItemState.DEAD_LETTER, 0, 7, new FlowRates(0, 0, nowMillis));
        measure();
        assertThat(dead("t" + (MOST + 2))).as("replayed").isZero();
        assertThat(value("spillway.tenants_with_dead_letters")).isEqualTo(MOST + 1);
    }

    @ParameterizedTest
    @CsvSource({
        // items, that come and go a second; tenants that are late. 14 days have 1,209,600 seconds.
        "hot,   12100000, 0,   10, 1",
        "hot,   12000000, 0,   10, 0",
        "aged,  12000000, 100, 10, 0",
        "hot,   41000,    0,   0,  1",
        "hot,   40000,    0,   0,  0",
        "hot,   1,        0,   0,  0",
        "delay, 12100000, 0,   10, 0",
    })
    void by_default_a_tenant_is_late_if_items_expire_before_those_in_front_of_them_have_gone(
            String lane, long items, double in, double out, int late) {
        setBalance("a", ItemState.valueOf(lane.toUpperCase(Locale.ROOT)), items, 0, new FlowRates(in, out, nowMillis));
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).isEqualTo(late);
    }

    private double dead(String tenant) {
        return registry.get("spillway.dead_letters").tag("tenant", tenant).gauge().value();
    }

    @Test
    void the_forecast_of_an_idle_backlog_lowers_its_rates() {
        policies.put("a", TenantPolicies.encode("a", PolicySettings.NONE_SET.with(PolicyField.TTL, "10m")));
        setBalance("a", ItemState.HOT, 1_000, 0, new FlowRates(0, 10, nowMillis));
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).isZero();
        metrics.measure(nowMillis + 120_000);
        assertThat(value("spillway.drain.late")).isEqualTo(1);
    }

    @Test
    void random_balances_and_clocks_make_no_metric_negative_or_nan_or_exceed_the_bound() {
        Seed seed = new Seed();
        SplittableRandom random = seed.random();
        for (int step = 0; step < 2_000; step++) {
            String tenant = "t" + random.nextInt(20);
            if (random.nextInt(10) == 0) {
                depths.remove(tenant);
            } else {
                setBalance(tenant, ItemState.WAITING.get(random.nextInt(4)), random.nextInt(1_000),
                        random.nextInt(1_000),
                        new FlowRates(random.nextInt(3), random.nextInt(3),
                                nowMillis + random.nextInt(-50_000, 50_000)));
            }
            nowMillis += random.nextInt(-5_000, 10_000);
            metrics.measure(nowMillis);
            assertThat(registry.getMeters()).as("%s, step %d", seed, step)
                    .hasSizeLessThanOrEqualTo(
                            (MOST + 1) * (ItemState.WAITING.size() + 1) + Lane.WORKED.size() + 2
                                    + DeadReason.values().length + DropReason.values().length
                                    + IngressAccount.Kind.values().length)
                    .allSatisfy(meter -> assertThat(((Gauge) meter).value()).as("%s", meter.getId()).isNotNaN()
                            .isNotNegative());
        }
    }

    private void measure() {
        metrics.measure(nowMillis);
        nowMillis += PERIOD_MILLIS;
    }

    private void setWaiting(String tenant, ItemState lane, long items) {
        setBalance(tenant, lane, items, 0, FlowRates.startingAt(nowMillis));
    }

    private void setBalance(String tenant, ItemState lane, long entered, long left, FlowRates rates) {
        long[] in = new long[ItemState.COUNT];
        long[] out = new long[ItemState.COUNT];
        in[lane.ordinal()] = entered;
        out[lane.ordinal()] = left;
        in[ItemState.DONE.ordinal()] = left;
        out[ItemState.OUTSIDE.ordinal()] = entered;
        depths.put(tenant, Depths.encode(tenant, new Depth(TenantBalance.of(in, out), rates, GrowingLimit.NONE, 0)));
    }

    private Collection<Gauge> depthGauges() {
        return registry.find("spillway.depth").gauges();
    }

    private Set<String> names() {
        Set<String> names = new TreeSet<>();
        depthGauges().stream().map(Gauge::getId).map((Meter.Id id) -> id.getTag("tenant")).forEach(names::add);
        return names;
    }

    private double depth(String tenant, ItemState lane) {
        return value("spillway.depth", "tenant", tenant, "lane", lane.label());
    }

    private double drainSeconds(ItemState lane) {
        return value("spillway.drain", "lane", lane.label());
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).gauge().value();
    }
}
