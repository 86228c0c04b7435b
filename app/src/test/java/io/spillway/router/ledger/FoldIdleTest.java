package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.GrowthRule;
import io.spillway.kafka.codec.LedgerOwner;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tenants that the fold forgets, on a clock that is set. */
class FoldIdleTest {
    /** A search ends at most a quarter of the time after a tenant has become idle. */
    private static final long FORGOTTEN_MILLIS = FoldHarness.IDLE_MILLIS * 5 / 4 + 60_000;

    private final FoldHarness fold = new FoldHarness();

    @Test
    void a_tenant_whose_items_are_all_finished_is_forgotten_and_its_counts_stay_in_the_sums() {
        finish("a", 10);
        fold.append("a", ItemState.OUTSIDE, ItemState.DROPPED, 3);
        fold.advance(FoldHarness.IDLE_MILLIS / 2);
        assertThat(fold.depths.of("a")).isPresent();
        TenantBalance balance = fold.balance("a");

        fold.advance(FORGOTTEN_MILLIS);

        assertThat(fold.depths.of("a")).isEmpty();
        assertThat(fold.depths.size()).isZero();
        assertThat(fold.depths.forgotten()).isEqualTo(balance);
        assertThat(fold.depths.entered(ItemState.DONE)).isEqualTo(10);
        assertThat(fold.depths.left(ItemState.OUTSIDE)).isEqualTo(13);
        assertThat(fold.depths.entered(ItemState.HOT)).isEqualTo(10);
        assertThat(fold.depths.in(ItemState.HOT)).isZero();
        assertThat(fold.storedTenants()).as("in the store").isZero();
    }

    @Test
    void a_tenant_that_has_items_dead_letters_or_a_grown_limit_is_not_forgotten() {
        fold.append("waits", ItemState.OUTSIDE, ItemState.DELAY, 1);
        fold.append("dead", ItemState.OUTSIDE, ItemState.DEAD_LETTER, 1);
        fold.append("wrong", ItemState.HOT, ItemState.DONE, 1);
        fold.append("wrong", ItemState.OVERFLOW, ItemState.HOT, 1);
        for (int second = 0; second < 600; second++) {
            finish("grown", 100);
            fold.advance(1_000);
        }
        fold.advance(2_000);
        fold.growBy(new GrowthRule(3, 0.1, 1_000, 1.5, 1));
        fold.restart();
        fold.append("used-little", ItemState.OUTSIDE, ItemState.DROPPED, 1);

        fold.advance(FORGOTTEN_MILLIS);

        assertThat(fold.depths.of("waits")).isPresent();
        assertThat(fold.depths.of("dead")).isPresent();
        assertThat(fold.depths.of("wrong")).as("an audit reports it").isPresent();
        assertThat(fold.depths.of("grown")).as("its limit is above the floor").isPresent();
        assertThat(fold.depths.of("used-little")).isEmpty();
    }

    @Test
    void dead_letters_of_a_reason_are_no_tenants_and_are_not_forgotten() {
        String expired = LedgerOwner.of(DeadReason.EXPIRED);
        fold.append("a", ItemState.OUTSIDE, ItemState.DEAD_LETTER, 3);
        fold.append(expired, ItemState.OUTSIDE, ItemState.DEAD_LETTER, 3);
        fold.append("a", ItemState.DEAD_LETTER, ItemState.DROPPED, 3);
        fold.append(expired, ItemState.DEAD_LETTER, ItemState.DROPPED, 2);
        fold.advance(2_000);
        assertThat(fold.depths.deadLetters(DeadReason.EXPIRED)).isEqualTo(1);
        assertThat(fold.depths.deadLetters(DeadReason.MALFORMED)).isZero();
        assertThat(fold.depths.entered(ItemState.DEAD_LETTER)).as("of tenants").isEqualTo(3);

        fold.append(expired, ItemState.DEAD_LETTER, ItemState.DROPPED, 1);
        fold.advance(FORGOTTEN_MILLIS);
        assertThat(fold.depths.forgotten().in(ItemState.DROPPED)).as("a alone is forgotten").isEqualTo(3);
        fold.append(expired, ItemState.HOT, ItemState.DEAD_LETTER, 5);
        fold.restart();
        fold.advance(2_000);
        assertThat(fold.depths.deadLetters(DeadReason.EXPIRED)).isEqualTo(5);
        assertThat(fold.depths.size()).isZero();
    }

    @Test
    void what_was_dropped_for_a_reason_is_no_tenants_and_is_not_forgotten() {
        String duplicate = LedgerOwner.of(DropReason.DUPLICATE);
        fold.append("a", ItemState.DELAY, ItemState.DROPPED, 3);
        fold.append(duplicate, ItemState.DELAY, ItemState.DROPPED, 3);
        fold.advance(FORGOTTEN_MILLIS);
        fold.append(duplicate, ItemState.DELAY, ItemState.DROPPED, 2);
        fold.restart();
        fold.advance(2_000);

        assertThat(fold.depths.dropped(DropReason.DUPLICATE)).isEqualTo(5);
        assertThat(fold.depths.dropped(DropReason.SWEEP)).isZero();
        assertThat(fold.depths.entered(ItemState.DROPPED)).as("of tenants").isEqualTo(3);
    }

    @Test
    void what_came_from_a_source_is_no_tenants_and_is_not_forgotten() {
        String orders = LedgerOwner.ofSource("orders");
        fold.append("a", ItemState.OUTSIDE, ItemState.DROPPED, 3);
        fold.append(orders, ItemState.OUTSIDE, ItemState.DROPPED, 3);
        fold.advance(FORGOTTEN_MILLIS);
        assertThat(fold.depths.forgotten().accepted()).as("a alone").isEqualTo(3);

        fold.append(orders, ItemState.OUTSIDE, ItemState.HOT, 2);
        fold.restart();
        fold.advance(2_000);

        assertThat(fold.depths.sources()).containsOnlyKeys("orders");
        assertThat(fold.depths.sources().get("orders").balance().accepted()).isEqualTo(5);
        assertThat(fold.depths.in(ItemState.HOT)).as("of tenants").isZero();
        assertThat(fold.depths.size()).isZero();
    }

    @Test
    void discarding_dead_letters_whose_reason_was_never_counted_hides_no_later_ones() {
        String expired = LedgerOwner.of(DeadReason.EXPIRED);
        fold.append(expired, ItemState.DEAD_LETTER, ItemState.DROPPED, 100);
        fold.advance(2_000);
        fold.append(expired, ItemState.OUTSIDE, ItemState.DEAD_LETTER, 7);
        fold.advance(2_000);
        assertThat(fold.depths.deadLetters(DeadReason.EXPIRED)).isEqualTo(7);
    }

    @Test
    void a_tenant_that_comes_back_starts_from_zero_and_nothing_is_counted_twice() {
        finish("a", 10);
        fold.advance(FORGOTTEN_MILLIS);
        fold.restart();
        assertThat(fold.depths.of("a")).isEmpty();
        finish("a", 2);
        fold.advance(2_000);
        assertThat(fold.balance("a").accepted()).isEqualTo(2);
        fold.restart();
        fold.advance(FORGOTTEN_MILLIS);
        assertThat(fold.depths.of("a")).isEmpty();
        assertThat(fold.depths.forgotten().in(ItemState.DONE)).isEqualTo(12);
    }

    @Test
    void the_sums_are_those_of_the_ledger_whatever_is_forgotten_between_restarts() {
        for (int seed = 0; seed < 10; seed++) {
            FoldHarness random = new FoldHarness();
            Random choice = new Random(seed);
            long came = 0;
            long went = 0;
            for (int step = 0; step < 60; step++) {
                String tenant = "t" + choice.nextInt(5);
                int count = 1 + choice.nextInt(9);
                random.append(tenant, ItemState.OUTSIDE, ItemState.HOT, count);
                came += count;
                random.advance(choice.nextInt(3) * 700L);
                if (choice.nextInt(20) > 0) {
                    random.append(tenant, ItemState.HOT, ItemState.DONE, count);
                    went += count;
                }
                if (choice.nextInt(5) == 0) {
                    random.advance(choice.nextLong(FORGOTTEN_MILLIS));
                }
                if (choice.nextInt(4) == 0) {
                    random.restart();
                }
            }
            random.advance(2_000);
            assertThat(random.depths.left(ItemState.OUTSIDE)).as("accepted, seed %s", seed).isEqualTo(came);
            assertThat(random.depths.in(ItemState.DONE)).as("done, seed %s", seed).isEqualTo(went);
            assertThat(random.depths.in(ItemState.HOT)).as("hot, seed %s", seed).isEqualTo(came - went);
        }
    }

    private void finish(String tenant, int count) {
        fold.append(tenant, ItemState.OUTSIDE, ItemState.HOT, count);
        fold.append(tenant, ItemState.HOT, ItemState.DONE, count);
    }
}
