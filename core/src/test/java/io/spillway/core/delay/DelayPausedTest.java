package io.spillway.core.delay;

import static io.spillway.core.delay.DelayTimeline.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.delay.DelayTimeline.Item;
import io.spillway.core.retry.RetryKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items that wait because their tenant or their workload is paused. */
class DelayPausedTest {
    private static final int MOST_GROUPS = 10_000;

    private final DelayTimeline lane = new DelayTimeline();

    @Test
    void items_of_a_paused_tenant_wait_until_a_look_after_it_is_resumed() {
        lane.pause("acme");
        assertThat(lane.place(Item.first("a", "acme"))).isEmpty();
        assertThat(lane.place(Item.first("b", "acme").of("mail"))).isEmpty();
        assertThat(lane.parkedIn(ofTenant("acme"))).as("one group for all workloads").containsExactly("a", "b");
        assertThat(lane.place(Item.first("c", "bolt"))).containsExactly("c");
        assertThat(lane.run(0)).isEmpty();

        lane.resume("acme");
        assertThat(lane.run(199)).isEmpty();
        assertThat(lane.nextRunMillis()).isEqualTo(200);
        assertThat(lane.run(200)).containsExactly("a", "b");
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void after_the_clock_was_set_back_the_next_look_is_as_soon_as_usual() {
        lane.pause("acme");
        lane.place(Item.first("a", "acme"));
        lane.run(5_000);
        lane.resume("acme");
        assertThat(lane.run(0)).isEmpty();
        assertThat(lane.run(200)).containsExactly("a");
    }

    @Test
    void a_paused_workload_holds_its_own_items_only() {
        lane.pause("acme", "mail");
        assertThat(lane.place(Item.first("a", "acme").of("mail"))).isEmpty();
        assertThat(lane.place(Item.first("b", "acme").of("sms"))).containsExactly("b");
        assertThat(lane.run(0)).isEmpty();

        lane.pause("acme", "sms");
        assertThat(lane.run(200)).containsExactly("a");
    }

    @Test
    void a_paused_item_leaves_at_its_end_and_not_before() {
        lane.pause("acme");
        lane.place(Item.retry("last", "acme").after(1).ends(9_000));
        lane.place(Item.retry("first", "acme").after(9).ends(3_000));
        assertThat(lane.run(2_800)).isEmpty();
        assertThat(lane.run(3_000)).containsExactly("first");
        assertThat(lane.run(8_800)).isEmpty();
        assertThat(lane.run(9_000)).containsExactly("last");
    }

    @Test
    void retries_that_are_resumed_pay_and_those_with_fewer_attempts_go_first() {
        lane.pause("acme");
        lane.place(Item.retry("a", "acme").after(9));
        lane.place(Item.retry("b", "acme").after(5));
        lane.place(Item.retry("c", "acme").after(1));
        lane.resume("acme");
        assertThat(lane.run(0)).containsExactly("c paid", "b paid");
        assertThat(lane.parkedIn(DelayTimeline.key("acme"))).as("no budget is left").containsExactly("a");
    }

    @Test
    void tenants_that_are_resumed_take_turns() {
        for (String tenant : new String[] {"a", "b", "c"}) {
            lane.pause(tenant);
            lane.place(Item.first(tenant + 1, tenant));
            lane.place(Item.first(tenant + 2, tenant));
            lane.resume(tenant);
        }
        assertThat(lane.run(0)).containsExactly("a1", "b1", "c1", "a2", "b2", "c2");
    }

    @Test
    void more_groups_than_one_look_may_take_leave_as_fast_as_the_items_of_one() {
        for (int i = 0; i < 101; i++) {
            lane.pause("t" + i);
            lane.place(Item.first("item " + i, "t" + i));
            lane.resume("t" + i);
        }
        assertThat(lane.run(0)).hasSize(100);
        assertThat(lane.nextRunMillis()).isEqualTo(50);
        assertThat(lane.run(50)).containsExactly("item 100");
    }

    @ParameterizedTest(name = "{0} of {1} bytes")
    @CsvSource({"101, 100, 100", "3, 524288, 2"})
    void what_is_more_than_one_look_may_take_leaves_in_the_next_after_50_ms(int items, int bytes, int first) {
        lane.pause("acme");
        for (int i = 0; i < items; i++) {
            lane.place(Item.first("item " + i, "acme").large(bytes));
        }
        lane.resume("acme");
        assertThat(lane.run(0)).hasSize(first);
        assertThat(lane.nextRunMillis()).isEqualTo(50);
        assertThat(lane.run(49)).isEmpty();
        assertThat(lane.run(50)).hasSize(items - first);
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void items_of_an_earlier_run_stay_paused_until_their_own_end_and_an_empty_group_is_forgotten() {
        DelayTimeline oneRetryGroup = new DelayTimeline(1);
        oneRetryGroup.pause("acme");
        oneRetryGroup.pause("bolt");
        Item item = Item.first("a", "acme").ends(5_000);
        assertThat(oneRetryGroup.restore(ofTenant("acme"), item, 1_000)).isEqualTo(ofTenant("acme"));
        assertThat(oneRetryGroup.restore(ofTenant("bolt"), 1_000)).isEqualTo(ofTenant("bolt"));
        assertThat(oneRetryGroup.run(1_000)).isEmpty();
        assertThat(oneRetryGroup.run(4_800)).isEmpty();
        assertThat(oneRetryGroup.run(5_000)).containsExactly("a");
        assertThat(oneRetryGroup.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void items_of_paused_tenants_without_a_group_are_looked_at_every_minute_and_at_their_end() {
        for (int i = 0; i < MOST_GROUPS; i++) {
            lane.pause("t" + i);
            lane.place(Item.first("item", "t" + i).ends(i == 0 ? 1_000 : 600_000));
        }
        lane.place(Item.first("second", "t1").ends(600_000));
        assertThat(lane.parkedIn(ofTenant("t1"))).containsExactly("item", "second");

        lane.pause("acme");
        lane.place(Item.first("long", "acme").ends(600_000));
        lane.place(Item.first("short", "acme").ends(40_000));
        assertThat(lane.parkedIn(ofTenant("acme"))).isEmpty();
        assertThat(lane.run(0)).isEmpty();
        assertThat(lane.run(1_000)).as("makes room for a group").containsExactly("item");
        assertThat(lane.run(39_999)).isEmpty();
        assertThat(lane.run(40_000)).containsExactly("short");
        assertThat(lane.run(59_999)).isEmpty();
        assertThat(lane.parkedIn(ofTenant("acme"))).isEmpty();
        assertThat(lane.run(60_000)).isEmpty();
        assertThat(lane.parkedIn(ofTenant("acme"))).containsExactly("long");
    }

    private static RetryKey ofTenant(String tenant) {
        return PausedGroups.group(Item.first("any", tenant).fields(), false);
    }
}
