package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.Seed;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.view.DepthCodec;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.PolicyCodec;
import io.spillway.kafka.view.TenantPolicies;
import java.util.Collection;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What waits, as the metrics show it, on a clock that is set. */
class DepthMetricsTest {
    private static final int MOST = 3;
    private static final long PERIOD_MILLIS = 10_000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Depths depths = new Depths();
    private final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
    private final DepthCodec codec = new DepthCodec();
    private final DepthMetrics metrics = new DepthMetrics(registry, MOST, depths, policies);
    private long nowMillis = 1_800_000_000_000L;

    @Test
    void the_deepest_have_a_name_and_the_rest_are_shown_together_so_that_each_lane_adds_up() {
        for (int i = 1; i <= 50; i++) {
            waits("t" + i, i % 2 == 0 ? ItemState.HOT : ItemState.DELAY, 10 * i);
        }
        look();

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
    void who_floods_has_a_name_at_the_next_look_although_all_names_are_taken() {
        for (int i = 0; i < MOST; i++) {
            waits("early" + i, ItemState.HOT, 5 + i);
        }
        look();
        waits("noisy", ItemState.OVERFLOW, 1_000_000);
        look();

        assertThat(names()).containsExactlyInAnyOrder("noisy", "early1", "early2", TenantMeters.OTHERS);
        assertThat(depth("noisy", ItemState.OVERFLOW)).isEqualTo(1_000_000);
        assertThat(depth(TenantMeters.OTHERS, ItemState.OVERFLOW)).isZero();
        assertThat(depth(TenantMeters.OTHERS, ItemState.HOT)).isEqualTo(5);
    }

    @Test
    void who_has_a_name_keeps_it_while_it_has_a_backlog_and_nobody_has_one_four_times_as_deep() {
        for (int i = 0; i < MOST; i++) {
            waits("early" + i, ItemState.HOT, 10);
        }
        look();
        for (int i = 0; i < 2 * MOST; i++) {
            waits("deeper" + i, ItemState.HOT, 39);
        }
        for (int looks = 0; looks < 200; looks++) {
            look();
        }
        assertThat(names()).containsExactlyInAnyOrder("early0", "early1", "early2", TenantMeters.OTHERS);
    }

    @Test
    void who_is_gone_is_at_zero_at_once_and_later_without_a_name() {
        waits("a", ItemState.HOT, 10);
        waits("b", ItemState.HOT, 20);
        look();
        waits("a", ItemState.HOT, 0);
        depths.remove("b");

        assertThat(depth("a", ItemState.HOT)).isZero();
        assertThat(depth("b", ItemState.HOT)).isZero();
        assertThat(depth(TenantMeters.OTHERS, ItemState.HOT)).isZero();
        for (int looks = 0; looks < 100; looks++) {
            look();
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
    void a_lane_is_empty_after_what_waits_by_what_more_goes_than_comes(
            long entered, long left, long enteredLater, long leftLater, double seconds) {
        say("a", ItemState.AGED, entered, left, FlowRates.startingAt(nowMillis));
        look();
        say("a", ItemState.AGED, enteredLater, leftLater, FlowRates.startingAt(nowMillis));
        look();

        assertThat(drainSeconds(ItemState.AGED)).isEqualTo(seconds);
        assertThat(drainSeconds(ItemState.HOT)).isZero();
    }

    @Test
    void a_steady_drain_is_forecast_alike_from_the_first_rates_on() {
        say("a", ItemState.HOT, 10_000, 0, FlowRates.startingAt(nowMillis));
        look();
        for (int looks = 1; looks <= 20; looks++) {
            say("a", ItemState.HOT, 10_000, 100L * looks, FlowRates.startingAt(nowMillis));
            look();
            assertThat(drainSeconds(ItemState.HOT)).as("look %d", looks).isCloseTo((10_000 - 100 * looks) / 10.0, within(1e-6));
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
    void a_tenant_is_late_whose_backlog_outlives_its_items(long items, double in, double out, String ttl, int late) {
        policies.put("a", new PolicyCodec().encode("a", PolicySettings.NONE_SET.with(PolicyField.TTL, ttl)));
        say("a", ItemState.HOT, items, 0, new FlowRates(in, out, nowMillis));
        say("without", ItemState.HOT, 1_000_000, 0, new FlowRates(10, 0, nowMillis));
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).isEqualTo(late);

        depths.remove("a");
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).as("gone").isZero();
    }

    @Test
    void a_backlog_that_nobody_has_touched_for_long_is_forecast_from_what_did_not_happen() {
        policies.put("a", new PolicyCodec().encode("a", PolicySettings.NONE_SET.with(PolicyField.TTL, "10m")));
        say("a", ItemState.HOT, 1_000, 0, new FlowRates(0, 10, nowMillis));
        metrics.measure(nowMillis);
        assertThat(value("spillway.drain.late")).isZero();
        metrics.measure(nowMillis + 120_000);
        assertThat(value("spillway.drain.late")).isEqualTo(1);
    }

    @Test
    void whatever_the_books_say_and_the_clock_no_metric_is_negative_or_no_number_or_one_too_many() {
        Seed seed = new Seed();
        SplittableRandom random = seed.random();
        for (int step = 0; step < 2_000; step++) {
            String tenant = "t" + random.nextInt(20);
            if (random.nextInt(10) == 0) {
                depths.remove(tenant);
            } else {
                say(tenant, ItemState.WAITING.get(random.nextInt(4)), random.nextInt(1_000), random.nextInt(1_000),
                        new FlowRates(random.nextInt(3), random.nextInt(3), nowMillis + random.nextInt(-50_000, 50_000)));
            }
            nowMillis += random.nextInt(-5_000, 10_000);
            metrics.measure(nowMillis);
            assertThat(registry.getMeters()).as("%s, step %d", seed, step)
                    .hasSizeLessThanOrEqualTo((MOST + 1) * ItemState.WAITING.size() + ItemState.WAITING.size() + 1)
                    .allSatisfy(meter -> assertThat(((Gauge) meter).value()).as("%s", meter.getId()).isNotNaN().isNotNegative());
        }
    }

    private void look() {
        metrics.measure(nowMillis);
        nowMillis += PERIOD_MILLIS;
    }

    private void waits(String tenant, ItemState lane, long items) {
        say(tenant, lane, items, 0, FlowRates.startingAt(nowMillis));
    }

    private void say(String tenant, ItemState lane, long entered, long left, FlowRates rates) {
        long[] in = new long[ItemState.COUNT];
        long[] out = new long[ItemState.COUNT];
        in[lane.ordinal()] = entered;
        out[lane.ordinal()] = left;
        in[ItemState.DONE.ordinal()] = left;
        out[ItemState.OUTSIDE.ordinal()] = entered;
        depths.put(tenant, codec.encode(tenant, new Depth(TenantBalance.of(in, out), rates, GrowingLimit.NONE, 0)));
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
