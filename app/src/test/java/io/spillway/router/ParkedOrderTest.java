package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;

/** Order of parked retries, also after a restart and of earlier versions. */
class ParkedOrderTest extends ParkedScene {
    @Test
    void the_oldest_items_of_a_tenant_go_first_also_before_new_ones() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int age : new int[] {5, 9, 1, 7, 3, 8, 2, 6, 4}) {
            retry("acme", START_MILLIS - age * MINUTE_MILLIS, 100);
            advance(200);
        }
        succeed("acme", 2);
        assertThat(ages(router.take(Lane.HOT))).containsExactly(9L, 8L);

        retry("acme", START_MILLIS - 10 * MINUTE_MILLIS, 0);
        assertThat(router.take(Lane.HOT)).as("not before the others, although there may be a token").isEmpty();
        succeed("acme", 3);
        assertThat(ages(router.take(Lane.HOT))).startsWith(10L, 7L, 6L);
        succeed("acme", 50);
        assertThat(parked()).isEmpty();
    }

    @Test
    void tenants_take_turns_and_a_success_of_one_releases_no_item_of_another() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
            for (int i = 0; i < 10; i++) {
                retry(tenant, START_MILLIS - i, 0);
            }
        }
        assertThat(parked()).hasSize(30);
        router.mailboxes.offer(List.of(succeeded("", "a", 4), succeeded("", "b", 4), succeeded("", "c", 2)));
        advance(200);

        List<String> order = router.take(Lane.HOT).stream().map(each -> header(each, "x-tenant")).toList();
        assertThat(order).hasSize(10);
        assertThat(order.subList(0, 3)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(order.subList(3, 6)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(order).filteredOn("c"::equals).hasSize(2);
    }

    @Test
    void parked_items_survive_a_restart_in_their_order() {
        for (String tenant : List.of("a", "b", "c")) {
            tokens(tenant, 1);
            spend(tenant, 2);
            for (int i = 0; i < 400; i++) {
                retry(tenant, START_MILLIS - 1_000 + i, 0);
            }
        }
        assertThat(parked()).hasSize(1_200);
        router.restart();
        advance(200);
        assertThat(parked()).as("a new gate has one saved retry and a trickle for each").hasSize(1_194);
        assertThat(router.take(Lane.HOT)).extracting(each -> header(each, "x-enqueued")).containsOnly(
                Long.toString(START_MILLIS - 1_000), Long.toString(START_MILLIS - 999));
        advance(400);
        router.delays.electTenants();
        assertThat(gauges()).as("all are counted again").isEqualTo(1_194);

        for (String tenant : List.of("a", "b", "c")) {
            succeed(tenant, 500);
        }
        assertThat(router.take(Lane.HOT)).hasSize(1_194);
        assertThat(parked()).isEmpty();
        assertThat(gauges()).isZero();
    }

    @Test
    void items_with_fewer_attempts_go_first_and_each_ends_at_its_time() {
        tokens("acme", 1);
        spend("acme", 2);
        int[] attempts = {4, 2, 1, 9, 3};
        for (int i = 0; i < attempts.length; i++) {
            retry("acme", START_MILLIS + (i - 10) * MINUTE_MILLIS, attempts[i], 0);
        }
        assertThat(parked()).hasSize(5);
        succeed("acme", 3);
        assertThat(router.take(Lane.HOT)).extracting(each -> header(each, "spillway-attempt"))
                .containsExactly("1", "2", "3");
        advance(6 * 60 * MINUTE_MILLIS - 10 * MINUTE_MILLIS);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-attempt")).isEqualTo("4");
        advance(3 * MINUTE_MILLIS + 200);
        assertThat(header(router.only(Lane.DEAD_LETTER), "spillway-attempt")).isEqualTo("9");
        assertThat(parked()).isEmpty();
    }

    @Test
    void timers_stored_by_an_earlier_version_fire_and_ask_the_budget() {
        tokens("acme", 1);
        spend("acme", 2);
        retry("acme", START_MILLIS, 5_000);
        KeyValue<Bytes, byte[]> timer;
        try (KeyValueIterator<Bytes, byte[]> all = router.timers().all()) {
            timer = all.next();
        }
        router.advance(Duration.ofSeconds(10));
        assertThat(parked()).hasSize(1);
        assertThat(parked().getFirst().value).as("the record is stored as it was").isEqualTo(timer.value);
        assertThat(timer.key.get()).as("due time and offset").hasSize(16);
    }

    @Test
    void a_damaged_parked_item_is_a_dead_letter_and_does_not_hold_up_the_others() {
        tokens("acme", 1);
        spend("acme", 2);
        for (int i = 0; i < 3; i++) {
            retry("acme", START_MILLIS + i - 10, 0);
        }
        router.timers().put(parked().getFirst().key, new byte[] {9, 9});
        router.timers().put(parked().get(1).key, new byte[0]);
        router.restart();
        advance(200);
        assertThat(router.take(Lane.DEAD_LETTER)).hasSize(2)
                .allSatisfy(each -> assertThat(header(each, "spillway-dead-reason")).isEqualTo("router-error"));
        assertThat(router.take(Lane.HOT)).hasSize(1);
        assertThat(parked()).isEmpty();
    }

    private static List<Long> ages(List<TestRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(each -> (START_MILLIS - Long.parseLong(header(each, "x-enqueued"))) / MINUTE_MILLIS).toList();
    }
}
