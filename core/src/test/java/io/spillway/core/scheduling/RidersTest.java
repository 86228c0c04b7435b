package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items that share the slot of another one. */
class RidersTest extends DispatchTimeline {
    private static final int RANDOM_STEPS = 20_000;
    private static final TenantPolicy OF_CRM = TenantPolicy.of(
            PolicySettings.NONE_SET.with(PolicyField.DESTINATION, "crm"),
            Optional.of(new NamedDestination("crm", PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, "4"))),
            PolicySettings.NONE_SET);

    RidersTest() {
        dispatch = new FairDispatch<>(settings(2));
    }

    private static DispatchSettings settings(int slots) {
        return new DispatchSettings(slots, 0, 0.05, 0.02, 100_000, 1 << 30, 100, false);
    }

    /** Takes an item and its riders; empty if none may start. */
    private List<SlotLease<String>> takeBatch(int most) {
        List<SlotLease<String>> batch = new ArrayList<>();
        dispatch.take(true, nanos()).ifPresent(batch::add);
        Optional<SlotLease<String>> rider = Optional.empty();
        while (!batch.isEmpty() && batch.size() < most
                && (rider = dispatch.takeWith(batch.getFirst(), item -> !item.endsWith("alone"), nanos()))
                        .isPresent()) {
            batch.add(rider.get());
        }
        return batch;
    }

    private void end(List<SlotLease<String>> batch) {
        batch.reversed().forEach(lease -> dispatch.ended(lease, nanos()));
    }

    private void offer(String tenant, String workload, TenantPolicy policy, String item) {
        dispatch.offer(Lane.HOT, tenant, workload, policy, item, 0, ItemLimits.NORMAL_PRIORITY, 0);
    }

    private FairNode<String> tenant(String name) {
        return dispatch.tenants.tenants.get(name);
    }

    @Test
    void a_batch_takes_one_slot_and_items_of_one_workload_in_their_order() {
        for (String item : List.of("a1", "a2", "a3")) {
            offer("a", "", POLICY, item);
            offer("a", "mail", POLICY, "mail-" + item);
            offer("b", "", POLICY, "b-" + item);
        }
        List<SlotLease<String>> batch = takeBatch(10);
        assertThat(batch).extracting(SlotLease::item).containsExactly("a1", "a2", "a3");
        assertThat(batch).extracting(SlotLease::isRider).containsExactly(false, true, true);
        assertThat(dispatch.pool.inFlight).isEqualTo(1);
        assertThat(tenant("a").running()).isEqualTo(3);
        assertThat(dispatch.waiting(Lane.HOT)).isEqualTo(6);
    }

    @Test
    void an_item_that_must_go_alone_ends_a_batch_and_waits_for_its_turn() {
        Stream.of("1", "2", "3 alone", "4").forEach(item -> offer("a", "", POLICY, item));
        assertThat(takeBatch(10)).extracting(SlotLease::item).containsExactly("1", "2");
        assertThat(takeBatch(1)).extracting(SlotLease::item).containsExactly("3 alone");
    }

    @ParameterizedTest
    @CsvSource({"tenant", "workload", "destination"})
    void each_item_of_a_batch_counts_as_an_attempt_under_a_concurrency_of_4(String of) {
        TenantPolicy policy = switch (of) {
            case "tenant" -> TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "4"));
            case "workload" -> POLICY.with(new Subscription(
                    "hook", "*", PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, "4")), Optional.empty());
            default -> OF_CRM;
        };
        for (int i = 0; i < 20; i++) {
            offer("a", "~hook", policy, "item");
        }
        List<SlotLease<String>> first = takeBatch(10);
        assertThat(first).hasSize(4);
        assertThat(takeBatch(10)).as("of the second slot").isEmpty();

        dispatch.ended(first.get(3), nanos());
        dispatch.cancelled(first.get(2), nanos());

        assertThat(takeBatch(10)).as("when two have ended").hasSize(2);
    }

    @Test
    void each_item_of_a_batch_counts_as_a_start_under_a_rate_of_attempts() {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.ATTEMPT_RATE, "100"));
        for (int i = 0; i < 2_000; i++) {
            offer("a", "", policy, "item");
        }
        int items = 0;
        for (; nowMillis < 20_000; nowMillis += 10) {
            List<SlotLease<String>> batch = takeBatch(50);
            items += nowMillis < 10_000 ? 0 : batch.size();
            batch.forEach(lease -> dispatch.worked(lease, nanos()));
            end(batch);
        }
        assertThat(items).as("in 10 s").isCloseTo(1_000, within(10));
    }

    @ParameterizedTest(name = "{0} items in a call, each {1} us")
    @CsvSource(delimiter = '|', textBlock = """
            # items | us | calls of a | of b, of 4000
            1       | 0  | 2000       | 2000
            10      | 0  | 2000       | 2000
            100     | 0  | 2000       | 2000
            100     | 50 | 1333       | 2667
            """)
    void a_tenant_with_batches_has_no_more_slot_time_than_one_without(
            int batchItems, int microsEach, int callsOfA, int callsOfB) {
        dispatch = new FairDispatch<>(settings(1));
        int[] calls = new int[2];
        for (int call = 0; call < 4_000; call++) {
            while (call == 0 && dispatch.waiting(Lane.HOT) == 0 || tenant("a").waiting < 200) {
                offer("a", "", POLICY, "a");
            }
            offer("b", "", POLICY, "b alone");
            List<SlotLease<String>> batch = takeBatch(batchItems);
            boolean isA = batch.getFirst().item().equals("a");
            calls[isA ? 0 : 1]++;
            nowMillis += 5 + (isA ? batch.size() * microsEach / 1_000 : 0);
            end(batch);
        }
        assertThat(calls[0]).isCloseTo(callsOfA, within(callsOfA / 20));
        assertThat(calls[1]).isCloseTo(callsOfB, within(callsOfB / 20));
    }

    @Test
    void hot_keeps_as_many_items_of_a_tenant_as_its_batches_take_in_the_buffer_time() {
        dispatch = new FairDispatch<>(settings(1));
        for (int i = 0; i < 40; i++) {
            offer(Lane.HOT, "a", 100);
            List<SlotLease<String>> batch = takeBatch(100);
            nowMillis += 10;
            end(batch);
        }
        offer(Lane.HOT, "a", 5_000);
        dispatch.excess(nowMillis, nanos());
        assertThat(dispatch.waiting(Lane.HOT)).as("11 calls of 10 ms with 100 items each")
                .isBetween(1_000, 1_100);
    }

    @Test
    void in_a_random_run_all_counts_return_to_zero() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        dispatch = new FairDispatch<>(settings(8));
        List<TenantPolicy> policies = List.of(POLICY, OF_CRM,
                TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "5")
                        .with(PolicyField.ATTEMPT_RATE, "400")));
        List<SlotLease<String>> running = new ArrayList<>();
        for (int step = 0; step < RANDOM_STEPS || dispatch.waiting(Lane.HOT) > 0 || !running.isEmpty(); step++) {
            int tenant = random.nextInt(6);
            if (step < RANDOM_STEPS && dispatch.waiting(Lane.HOT) < 1_000) {
                offer("t" + tenant, random.nextBoolean() ? "mail" : "", policies.get(tenant % 3), "item");
            }
            running.addAll(takeBatch(1 + random.nextInt(20)));
            OptionalLong next = dispatch.nextStartNanos();
            nowMillis += running.isEmpty() && next.isPresent() ? 5 : random.nextInt(2);
            for (int i = random.nextInt(4); i > 0 && !running.isEmpty(); i--) {
                SlotLease<String> lease = running.remove(random.nextInt(running.size()));
                if (random.nextInt(10) == 0) {
                    dispatch.cancelled(lease, nanos());
                } else {
                    dispatch.worked(lease, nanos());
                    dispatch.ended(lease, nanos());
                }
            }
            assertThat(dispatch.pool.inFlight).isBetween(0, 8);
            assertThat(dispatch.pool.inFlight).isEqualTo(
                    (int) running.stream().filter(lease -> !lease.isRider()).count());
            List.of("t2", "t5").forEach(limited -> assertThat(
                    tenant(limited) == null ? 0 : tenant(limited).running()).isLessThanOrEqualTo(5));
        }
        dispatch.tenants.tenants.values().forEach(node -> {
            Stream.concat(Stream.of(node), node.children().stream()).forEach(each -> {
                assertThat(each.inFlight).isZero();
                assertThat(each.riders).isZero();
                assertThat(each.waiting).isZero();
            });
        });
        assertThat(dispatch.share(MaxMinSlots.ALONE)).as("demand").isEmpty();
        assertThat(dispatch.tenantsAtCap()).isZero();
    }
}
