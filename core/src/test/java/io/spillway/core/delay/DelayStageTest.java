package io.spillway.core.delay;

import static io.spillway.core.delay.DelayTimeline.NEVER;
import static io.spillway.core.delay.DelayTimeline.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.delay.DelayTimeline.Item;
import io.spillway.core.retry.RetryKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items that wait until they are due, and retries that wait for their budget. */
class DelayStageTest {
    private final DelayTimeline lane = new DelayTimeline();

    @ParameterizedTest(name = "due at {0}, end at {1}, retry {2}")
    @CsvSource(textBlock = """
            # due, end, retry, leaves at, as
            5000, 60000, false, 5000, a
            5000, 60000,  true, 5000, a paid
            9000,  4000, false, 4000, a
            9000,  4000,  true, 4000, a
            5000,  5000,  true, 5000, a
            """)
    void an_item_waits_until_it_is_due_or_at_its_end(
            long dueMillis, long endMillis, boolean isRetry, long leavesAtMillis, String as) {
        Item item = (isRetry ? Item.retry("a", "acme") : Item.first("a", "acme")).due(dueMillis).ends(endMillis);
        assertThat(lane.place(item)).isEmpty();
        assertThat(lane.nextRunMillis()).isEqualTo(leavesAtMillis);
        assertThat(lane.run(leavesAtMillis - 1)).isEmpty();
        assertThat(lane.run(leavesAtMillis)).containsExactly(as);
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void an_item_that_is_due_leaves_at_once_and_one_at_its_end_pays_for_nothing() {
        assertThat(lane.place(Item.first("a", "acme"))).containsExactly("a");
        assertThat(lane.place(Item.retry("b", "acme").ends(0))).containsExactly("b");
        assertThat(lane.place(Item.retry("c", "acme"))).containsExactly("c paid");
    }

    @Test
    void a_retry_without_budget_waits_for_the_look_after_a_success() {
        lane.spendRetries("acme");
        assertThat(lane.place(Item.retry("a", "acme"))).isEmpty();
        assertThat(lane.parkedIn(key("acme"))).containsExactly("a");
        assertThat(lane.run(0)).isEmpty();
        assertThat(lane.nextRunMillis()).isEqualTo(200);

        lane.succeeded("acme", 1);
        assertThat(lane.run(199)).isEmpty();
        assertThat(lane.run(200)).containsExactly("a paid");
        assertThat(lane.parkedIn(key("acme"))).isEmpty();
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void after_the_clock_was_set_back_the_next_run_is_not_later_than_usual() {
        lane.spendRetries("acme");
        lane.place(Item.retry("a", "acme"));
        lane.run(5_000);
        assertThat(lane.nextRunMillis()).isEqualTo(5_200);
        lane.run(0);
        assertThat(lane.nextRunMillis()).isEqualTo(200);
    }

    @Test
    void a_paid_retry_is_the_one_with_the_fewest_attempts_and_one_that_is_over_leaves_unpaid() {
        lane.spendRetries("acme");
        lane.place(Item.retry("old", "acme").after(9).ends(3_000));
        lane.place(Item.retry("older", "acme").after(5));
        lane.place(Item.retry("new", "acme").after(1));
        assertThat(lane.run(2_800)).isEmpty();
        lane.succeeded("acme", 1);
        assertThat(lane.run(3_000)).containsExactly("old", "new paid");
        assertThat(lane.parkedIn(key("acme"))).containsExactly("older");
    }

    @Test
    void a_group_of_an_earlier_run_that_turns_out_empty_costs_no_retry() {
        lane.restore(key("acme"), 60_000);
        assertThat(lane.run(0)).isEmpty();
        lane.place(Item.retry("a", "acme"));
        lane.place(Item.retry("b", "acme"));
        assertThat(lane.parkedIn(key("acme"))).as("retries without a budget").isEmpty();
    }

    @Test
    void parked_retries_leave_before_those_that_become_due() {
        lane.spendRetries("acme");
        lane.place(Item.retry("parked", "acme").ends(3_000));
        lane.place(Item.first("due", "acme").due(1_000));
        assertThat(lane.run(3_000)).containsExactly("parked", "due");
    }

    @ParameterizedTest(name = "{0} of {1} bytes")
    @CsvSource({"1001, 100, 1000", "3, 4194304, 2"})
    void what_is_more_than_one_run_may_take_leaves_in_the_next_after_50_ms(int items, int bytes, int first) {
        lane.spendRetries("acme");
        for (int i = 0; i < items; i++) {
            lane.place(Item.retry("item " + i, "acme").ends(1_000).large(bytes));
        }
        assertThat(lane.run(1_000)).hasSize(first);
        assertThat(lane.nextRunMillis()).isEqualTo(1_050);
        assertThat(lane.run(1_049)).isEmpty();
        assertThat(lane.run(1_050)).hasSize(items - first);
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void a_granted_retry_that_is_paused_meanwhile_gives_its_payment_to_another() {
        lane.spendRetries("acme");
        lane.place(Item.retry("mail", "acme").of("mail").ends(5_000));
        lane.place(Item.retry("other", "acme"));
        lane.pause("acme", "mail");
        lane.run(0);
        lane.succeeded("acme", 1);
        assertThat(lane.run(200)).containsExactly("other paid");
        assertThat(lane.run(4_800)).isEmpty();
        assertThat(lane.run(5_000)).as("at its end").containsExactly("mail");
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void what_can_no_longer_be_read_leaves_when_it_is_looked_at() {
        lane.damaged.addAll(List.of("due", "over", "paid"));
        lane.spendRetries("acme");
        lane.place(Item.retry("due", "acme").due(1_000));
        lane.place(Item.retry("over", "acme").ends(1_000));
        lane.place(Item.retry("paid", "acme"));
        lane.succeeded("acme", 1);
        assertThat(lane.run(1_000)).containsExactly("over", "paid paid", "due");
    }

    @Test
    void a_group_of_an_earlier_run_goes_on_with_a_full_budget_and_is_forgotten_without_items() {
        assertThat(lane.restore(key("acme"), Item.retry("a", "acme"), 60_000)).isEqualTo(key("acme"));
        assertThat(lane.restore(key("bolt"), 60_000)).isEqualTo(key("bolt"));
        assertThat(lane.run(0)).containsExactly("a paid");
        assertThat(lane.nextRunMillis()).isEqualTo(NEVER);
    }

    @Test
    void an_item_that_ends_later_than_its_group_was_said_to_stays_until_then() {
        lane.spendRetries("acme");
        lane.restore(key("acme"), Item.retry("a", "acme").ends(5_000), 1_000);
        assertThat(lane.run(1_000)).isEmpty();
        assertThat(lane.parkedIn(key("acme"))).containsExactly("a");
        assertThat(lane.run(5_000)).containsExactly("a");
    }

    @Test
    void an_item_is_found_after_a_restart_in_every_group_that_it_may_be_parked_in() {
        DelayTimeline narrow = new DelayTimeline(1);
        Item item = Item.retry("a", "acme").of("mail");
        narrow.spendRetries("bolt");
        narrow.spendRetries("acme");
        narrow.spendRetries("acme");
        narrow.place(item);
        narrow.pause("acme");
        narrow.place(item);
        narrow.pause("acme", "mail");
        narrow.place(item);
        lane.spendRetries("acme");
        lane.place(item);

        List<RetryKey> groups = DelayStage.groupsOf(item.fields());
        assertThat(groups).filteredOn(group -> narrow.parkedIn(group).contains("a")).hasSize(3)
                .contains(RetryKey.OTHERS).doesNotContain(key("acme"));
        assertThat(groups).filteredOn(group -> lane.parkedIn(group).contains("a")).containsExactly(key("acme"));
    }

    /** Two tenants fill the table of budgets, and have nothing parked after a run. */
    @ParameterizedTest(name = "runs at 0 and at {0}: the budget of a further tenant is of {1}")
    @CsvSource({"59999, others", "60000, itself", "-59999, others", "-60000, itself"})
    void unused_budgets_are_forgotten_every_minute_also_after_the_clock_was_set_back(long atMillis, String of) {
        DelayTimeline narrow = new DelayTimeline(2);
        narrow.run(0);
        narrow.restore(key("acme"), 50);
        narrow.restore(key("bolt"), 50);
        narrow.run(100);
        narrow.run(atMillis);
        assertThat(narrow.restore(key("cord"), 60_000))
                .isEqualTo(of.equals("itself") ? key("cord") : RetryKey.OTHERS);
    }
}
