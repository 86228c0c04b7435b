package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.router.stage.WakeUp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** The fold at and above its bound of unwritten tenants. */
class FoldManyTenantsTest {
    private static final int MANY = FoldProcessor.MOST_UNWRITTEN;
    private static final int AT_ONCE = 250;
    /** One tenant in a hundred is urgent, which is more than one run writes. */
    private static final IntUnaryOperator CAME =
            tenant -> tenant % 100 == 0 ? FoldProcessor.URGENT_ITEMS : 1 + tenant % 9;
    private static final IntUnaryOperator WENT = tenant -> (CAME.applyAsInt(tenant) + 1) / 2;

    private final FoldHarness fold = new FoldHarness();
    /** Each tenant's ledger lines in order. */
    private final Map<String, List<Line>> lines = new HashMap<>();
    private int entriesSeen;

    private record Line(long offset, ItemState from, long[] counts) {}

    @Test
    void balances_of_100_000_tenants_are_written_within_the_bounds_and_exact_over_restarts() {
        come(0, MANY / 2);
        restart();
        come(MANY / 2, MANY);
        assertThat(fold.depths.size()).as("there is something left to write").isLessThan(MANY);
        settle();
        assertThat(fold.depths.size()).isEqualTo(MANY);

        go(0, MANY / 2);
        restart();
        go(MANY / 2, MANY);
        fold.advance(10_000);
        restart();
        settle();

        for (int tenant = 0; tenant < MANY; tenant++) {
            long came = CAME.applyAsInt(tenant);
            long went = WENT.applyAsInt(tenant);
            TenantBalance balance = fold.balance(name(tenant));
            if (balance.accepted() != came || balance.in(ItemState.DONE) != went
                    || balance.in(ItemState.HOT) != came - went || balance.difference() != 0) {
                fail("%s: %d came and %d went, but its balance is %s", name(tenant), came, went, balance);
            }
        }
        assertThat(fold.mostRowsAtOnce).as("with the mark")
                .isBetween(FoldProcessor.MOST_AT_ONCE + 1, FoldProcessor.MOST_URGENT + FoldProcessor.MOST_AT_ONCE + 1);
        assertThat(fold.shortestPauseMillis).isGreaterThanOrEqualTo(FoldProcessor.PAUSE_MILLIS);
    }

    @Test
    void above_the_bound_the_tenants_changed_longest_ago_are_written_at_once() {
        int more = MANY + 30_000;
        for (int tenant = 0; tenant < more; tenant += 10_000) {
            move(tenant, tenant + 10_000, ItemState.OUTSIDE, ItemState.HOT, CAME);
            assertThat(lines.size() - fold.depths.size()).as("unwritten").isLessThanOrEqualTo(MANY);
        }
        assertThat(fold.depths.size()).as("no time has passed: only what the bound is for").isEqualTo(more - MANY);
        assertThat(fold.depths.of(name(0))).isPresent();
        checkWritten();

        restart();
        assertThat(lines.size() - fold.depths.size()).isLessThanOrEqualTo(MANY);
        settle();
        assertThat(fold.depths.size()).isEqualTo(more);
    }

    private void come(int first, int end) {
        moveInSteps(first, end, ItemState.OUTSIDE, ItemState.HOT, CAME);
    }

    private void go(int first, int end) {
        moveInSteps(first, end, ItemState.HOT, ItemState.DONE, WENT);
    }

    /** Advances the clock between the entries, so that balances are written while lines arrive. */
    private void moveInSteps(int first, int end, ItemState from, ItemState to, IntUnaryOperator items) {
        for (int tenant = first; tenant < end; tenant += AT_ONCE) {
            move(tenant, tenant + AT_ONCE, from, to, items);
            fold.advance(10);
        }
        checkWritten();
    }

    private void move(int first, int end, ItemState from, ItemState to, IntUnaryOperator items) {
        LedgerDeltas sums = new LedgerDeltas(from);
        for (int tenant = first; tenant < end; tenant++) {
            for (int i = items.applyAsInt(tenant); i > 0; i--) {
                sums.add(name(tenant), to);
            }
        }
        fold.append(sums);
        for (; entriesSeen < fold.ledger.size(); entriesSeen++) {
            long offset = entriesSeen;
            LedgerCodec.read(fold.ledger.get(entriesSeen), (tenant, place, counts) ->
                    lines.computeIfAbsent(tenant, absent -> new ArrayList<>())
                            .add(new Line(offset, place, counts.clone())));
        }
    }

    private void restart() {
        fold.restart();
        checkWritten();
    }

    /** Advances the clock by the time that writing all balances takes. */
    private void settle() {
        long pauses = lines.size() / FoldProcessor.MOST_AT_ONCE + 1;
        long endMillis = FoldProcessor.WRITE_AFTER_MILLIS + pauses * (FoldProcessor.PAUSE_MILLIS + WakeUp.SLACK_MILLIS);
        for (long millis = 0; millis < endMillis && fold.mark() < fold.ledger.size(); millis += 1_000) {
            fold.advance(1_000);
        }
        assertThat(fold.mark()).isEqualTo(fold.ledger.size());
        checkWritten();
    }

    /** Checks that each balance contains exactly the lines below its offset, which is not below the mark. */
    private void checkWritten() {
        long mark = fold.mark();
        lines.forEach((tenant, all) -> {
            Depth written = fold.depths.of(tenant).orElse(null);
            long upTo = written == null ? 0 : written.upTo();
            TenantBalance expected = TenantBalance.EMPTY;
            for (Line line : all) {
                if (line.offset() < upTo) {
                    expected = expected.plus(line.from(), line.counts());
                } else if (line.offset() < mark) {
                    fail("%s: its line at %d is below the mark %d, and not in its balance, which is complete up to %d",
                            tenant, line.offset(), mark, upTo);
                }
            }
            if (!fold.balance(tenant).equals(expected)) {
                fail("%s: its lines up to %d come to %s, but its balance is %s", tenant, upTo, expected,
                        fold.balance(tenant));
            }
        });
    }

    private static String name(int tenant) {
        return "t" + tenant;
    }
}
