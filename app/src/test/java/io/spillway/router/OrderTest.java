package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static io.spillway.router.RouterHarness.headers;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.metrics.TenantMeters;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Items with an order key: who has the turn, who waits, and who is next. Items are named by their ids. */
class OrderTest {
    private final RouterHarness router = new RouterHarness();
    private final Map<String, TestRecord<byte[], byte[]>> seen = new HashMap<>();

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void items_of_one_key_go_on_one_at_a_time_in_their_order() {
        send("acme", "user-1", "a", "b", "c");
        assertThat(started()).containsExactly("a");
        assertThat(seen.get("a").headers().lastHeader(ItemHeaders.DUE)).as("its age counts whole").isNull();
        router.advance(Duration.ofSeconds(9));
        ended("a");
        assertThat(started()).containsExactly("b");
        assertThat(header(seen.get("b"), ItemHeaders.DUE)).as("its turn").isEqualTo("" + (START_MILLIS + 9_000));
        assertThat(header(seen.get("b"), ItemHeaders.TURN_AT)).isEqualTo("" + (START_MILLIS + 9_000));
        ended("b");
        assertThat(started()).containsExactly("c");
        ended("c");
        assertThat(started()).isEmpty();
        assertThat(stored()).isZero();
        send("acme", "user-1", "d");
        assertThat(started()).containsExactly("d");
        assertThat(router.registry.get("spillway.order.queued").counter().count()).isEqualTo(2);
    }

    @Test
    void other_keys_and_tenants_do_not_wait_nor_do_items_without_a_key() {
        send("acme", "user-1", "a");
        send("acme", "user-2", "b");
        send("bolt", "user-1", "c");
        router.send(RouterHarness.item("acme", "d", START_MILLIS, ""));
        assertThat(started()).containsExactly("a", "b", "c", "d");
        assertThat(seen.values()).as("all are fresh")
                .allSatisfy(item -> assertThat(item.headers().lastHeader(ItemHeaders.LANE_REASON)).isNull());
        assertThat(seen.get("d").headers().lastHeader(ItemHeaders.TURN)).isNull();
    }

    @Test
    void a_key_with_many_waiting_items_delays_no_other_key() {
        for (int i = 0; i < 2_000; i++) {
            send("acme", "busy", "a" + i);
        }
        send("acme", "calm", "b");
        assertThat(started()).containsExactly("a0", "b");
    }

    @Test
    void a_retry_holds_the_later_items_of_its_key() {
        send("acme", "user-1", "a", "b");
        started();
        router.sendDelayed(seen.get("a").value(), with(seen.get("a").headers(), ItemHeaders.LANE_REASON, "retry",
                ItemHeaders.ATTEMPT, "1", ItemHeaders.DUE, Long.toString(START_MILLIS + 5_000)));
        router.advance(Duration.ofSeconds(4));
        assertThat(started()).isEmpty();
        router.advance(Duration.ofSeconds(1));
        assertThat(started()).containsExactly("a");
        ended("a");
        assertThat(started()).containsExactly("b");
    }

    @Test
    void an_end_that_is_told_twice_or_of_another_turn_changes_nothing() {
        send("acme", "user-1", "a", "b", "c");
        started();
        ended("a");
        ended("a");
        assertThat(started()).containsExactly("b");
        assertThat(started()).isEmpty();
    }

    @Test
    void those_that_may_no_longer_be_handled_are_dropped_when_their_turn_comes_and_the_next_goes_on() {
        router.set("acme", PolicyField.TTL, "10s");
        send("acme", "user-1", "a");
        for (int i = 0; i < 2_500; i++) {
            send("acme", "user-1", "old" + i);
        }
        router.advance(Duration.ofSeconds(11));
        router.enteredAtMillis = router.nowMillis();
        sendAt(router.nowMillis(), "acme", "user-1", "young");
        started();
        ended("a");
        assertThat(started()).containsExactly("young");
        assertThat(router.dropped()).isEqualTo(2_500);
    }

    @Test
    void a_paused_tenants_items_keep_their_order() {
        router.set("acme", PolicyField.PAUSED, "true");
        send("acme", "user-1", "a", "b", "c");
        assertThat(started()).isEmpty();
        router.set("acme", PolicyField.PAUSED, "false");
        for (String next : List.of("a", "b", "c")) {
            router.advance(Duration.ofSeconds(2));
            assertThat(started()).containsExactly(next);
            ended(next);
        }
    }

    @Test
    void a_scheduled_item_takes_its_place_when_its_time_has_come() {
        Headers later = headers(ItemHeaders.ORDER_KEY, "user-1", ItemHeaders.ID, "later",
                ItemHeaders.DELIVER_AT, Long.toString(START_MILLIS + 3_000));
        router.send(RouterHarness.item("acme", START_MILLIS), later);
        send("acme", "user-1", "a");
        assertThat(started()).containsExactly("a");
        router.advance(Duration.ofSeconds(3));
        send("acme", "user-1", "b");
        ended("a");
        assertThat(started()).containsExactly("later");
    }

    @Test
    void a_dead_letter_lets_the_next_go_on() {
        send("acme", "user-1", "a", "b");
        started();
        dead("a");
        assertThat(started()).containsExactly("b");
    }

    @Test
    void a_dead_letter_holds_its_key_where_its_tenant_wants_that_until_it_is_discarded() {
        router.set("acme", PolicyField.ORDER_HOLD, "1d");
        send("acme", "user-1", "a", "b");
        send("acme", "user-2", "c");
        started();
        dead("a");
        assertThat(started()).isEmpty();
        assertThat(held()).isEqualTo(1);
        ended("a");
        assertThat(started()).containsExactly("b");
        assertThat(held()).isZero();
    }

    @Test
    void a_held_key_goes_on_with_its_dead_letter_when_that_is_replayed() {
        router.set("acme", PolicyField.ORDER_HOLD, "1d");
        send("acme", "user-1", "a", "b");
        started();
        dead("a");
        replay("a", Duration.ZERO);
        assertThat(started()).containsExactly("a");
        assertThat(held()).isZero();
        send("acme", "user-1", "c");
        ended("a");
        assertThat(started()).containsExactly("b");
    }

    @Test
    void a_hold_ends_by_itself_and_a_replay_after_that_comes_last() {
        router.set("acme", PolicyField.ORDER_HOLD, "1h");
        send("acme", "user-1", "a", "b");
        started();
        dead("a");
        router.advance(Duration.ofMinutes(59));
        assertThat(started()).isEmpty();
        for (int i = 0; i < 7; i++) {
            router.advance(Duration.ofSeconds(10));
        }
        assertThat(all(Lane.AGED)).containsExactly("b");
        assertThat(held()).isZero();
        replay("a", Duration.ZERO);
        assertThat(started()).isEmpty();
        ended("b");
        assertThat(started()).containsExactly("a");
    }

    @Test
    void a_dead_letter_whose_replay_is_due_later_comes_behind_those_that_wait_then() {
        send("acme", "user-1", "a");
        started();
        dead("a");
        replay("a", Duration.ofSeconds(3));
        send("acme", "user-1", "b", "c");
        router.advance(Duration.ofSeconds(3));
        send("acme", "user-1", "d");
        List<String> order = started();
        for (int ends = 0; ends < 3; ends++) {
            ended(order.getLast());
            order.addAll(started());
        }
        assertThat(order).containsExactly("b", "c", "a", "d");
    }

    @Test
    void an_item_that_a_router_with_a_fast_clock_took_keeps_its_place() {
        router.sendDelayed(RouterHarness.item("acme", START_MILLIS), headers(ItemHeaders.ORDER_KEY, "user-1",
                ItemHeaders.ID, "a", ItemHeaders.LANE_REASON, "order", ItemHeaders.ORIGIN, "spillway.ingress-0-0",
                ItemHeaders.DUE, Long.toString(START_MILLIS + 120_000)));
        send("acme", "user-1", "b");
        assertThat(started()).containsExactly("a");
        ended("a");
        assertThat(started()).containsExactly("b");
    }

    @Test
    void another_process_goes_on_with_turns_waiting_items_and_holds() {
        router.set("acme", PolicyField.ORDER_HOLD, "1d");
        send("acme", "user-1", "a", "b");
        send("acme", "user-2", "c", "d");
        started();
        dead("c");
        router.restart();
        router.advance(Duration.ofMillis(50));
        assertThat(held()).isEqualTo(1);
        ended("a");
        assertThat(started()).containsExactly("b");
        ended("c");
        assertThat(started()).containsExactly("d");
        assertThat(held()).isZero();
    }

    @Test
    void a_claimed_item_that_is_done_lets_the_next_go_on() {
        send("acme", "user-1", "a", "b");
        started();
        router.sendDelayed(seen.get("a").value(), with(seen.get("a").headers(), ItemHeaders.LANE_REASON, "claimed",
                ItemHeaders.CLAIM, "w-1", ItemHeaders.DUE, Long.toString(START_MILLIS + 30_000)));
        router.sendDelayed(null, with(new RecordHeaders(), ItemHeaders.CLAIM, "w-1", ItemHeaders.CLAIM_RESULT,
                ClaimResult.DONE.label(), ItemHeaders.ORIGIN, header(seen.get("a"), ItemHeaders.ORIGIN)));
        assertThat(started()).containsExactly("b");
    }

    @Test
    void each_subscriber_gets_the_items_of_a_key_in_order_and_waits_for_no_other() {
        for (String name : List.of("crm", "erp")) {
            router.policies.put(TenantPolicies.key("acme", name),
                    TenantPolicies.encode("acme", new Subscription(name, "*", PolicySettings.NONE_SET)));
        }
        send("acme", "user-1", "a", "b");
        assertThat(started()).containsExactly("a~crm", "a~erp");
        ended("a~crm");
        assertThat(started()).containsExactly("b~crm");
        ended("a~erp");
        assertThat(started()).containsExactly("b~erp");
    }

    @Test
    void a_bad_key_makes_a_dead_letter_and_a_producer_cannot_give_a_turn() {
        send("acme", "", "a");
        assertThat(header(router.only(Lane.DEAD_LETTER), ItemHeaders.DEAD_REASON)).isEqualTo("bad-order-key");
        send("acme", "user-1", "b");
        router.send(RouterHarness.item("acme", START_MILLIS), headers(ItemHeaders.ORDER_KEY, "user-1", ItemHeaders.ID,
                "c", ItemHeaders.TURN, header(router.only(Lane.HOT), ItemHeaders.TURN)));
        assertThat(started()).isEmpty();
    }

    private void send(String tenant, String key, String... ids) {
        sendAt(START_MILLIS, tenant, key, ids);
    }

    private void sendAt(long enqueuedAtMillis, String tenant, String key, String... ids) {
        for (String id : ids) {
            router.send(RouterHarness.item(tenant, enqueuedAtMillis),
                    headers(ItemHeaders.ORDER_KEY, key, ItemHeaders.ID, id));
        }
    }

    /** Returns the ids of the items that have come to hot since the last call. */
    private List<String> started() {
        return all(Lane.HOT);
    }

    private List<String> all(Lane lane) {
        List<String> ids = new ArrayList<>();
        for (TestRecord<byte[], byte[]> record : router.take(lane)) {
            String id = record.headers().lastHeader(ItemHeaders.ID) == null ? "d" : header(record, ItemHeaders.ID);
            ids.add(id);
            seen.put(id, record);
        }
        return ids;
    }

    private void ended(String id) {
        tell(id, Turn.Result.ENDED);
    }

    private void dead(String id) {
        tell(id, Turn.Result.DEAD);
    }

    private void tell(String id, Turn.Result result) {
        Headers item = seen.get(id).headers();
        router.sendDelayed(null, Turn.of(item).orElseThrow().notice("acme", item, result));
    }

    private void replay(String id, Duration after) {
        router.sendDelayed(seen.get(id).value(), with(seen.get(id).headers(), ItemHeaders.LANE_REASON, "order",
                ItemHeaders.REPLAYED_AT, Long.toString(router.nowMillis()),
                ItemHeaders.DUE, Long.toString(router.nowMillis() + after.toMillis())));
    }

    private static Headers with(Headers headers, String... namesAndValues) {
        Headers changed = new RecordHeaders(headers);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            ItemHeaders.set(changed, namesAndValues[i], namesAndValues[i + 1]);
        }
        return changed;
    }

    private double held() {
        return router.registry.get("spillway.order.held").tag("tenant", TenantMeters.OTHERS).gauge().value();
    }

    /** Returns how many entries the store has, without the timer that is never due. */
    private long stored() {
        long entries = 0;
        try (var all = router.timers().all()) {
            while (all.hasNext()) {
                all.next();
                entries++;
            }
        }
        return entries;
    }
}
