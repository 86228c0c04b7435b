package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.view.Depths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BacklogsTest {
    private static final long NOW = 1_800_000_000_000L;

    private final Depths depths = new Depths();
    private final Backlogs backlogs = new Backlogs(depths, tenant -> false, 2);

    /** The tenant had 50 accepted items, of which 10 wait, before this gateway sent its first. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                              | sent | failed | accepted then | waiting then | backlog
            nothing is routed                   |  100 |      0 |            50 |           10 |     110
            half is routed                      |  100 |      0 |           100 |           60 |     110
            all is routed                       |  100 |      0 |           150 |          110 |     110
            all is routed and completed         |  100 |      0 |           150 |            0 |       0
            others send too                     |  100 |      0 |           500 |          400 |     400
            what is not stored does not count   |  100 |     40 |            50 |           10 |      70
            a tenant that was forgotten         |  100 |      0 |             0 |            0 |       0
            """)
    void items_that_the_router_has_not_accepted_are_part_of_the_backlog(
            String what, int sent, int failed, long accepted, long waiting, long backlog) {
        put("acme", 50, 10);
        backlogs.ofSender("acme", NOW);
        for (int i = 0; i < sent; i++) {
            backlogs.sent("acme");
        }
        for (int i = 0; i < failed; i++) {
            backlogs.notStored("acme");
        }
        put("acme", accepted, waiting);
        backlogs.sample(NOW + 1_000);
        assertThat(backlogs.of("acme").waiting()).isEqualTo(backlog);
    }

    @Test
    void what_others_send_leaves_no_items_behind_in_the_estimate() {
        backlogs.ofSender("acme", NOW);
        long accepted = 0;
        for (int second = 1; second <= 100; second++) {
            for (int i = 0; i < 10; i++) {
                backlogs.sent("acme");
            }
            // Two seconds later, with as many of another producer.
            accepted += second > 2 ? 20 : 0;
            put("acme", accepted, 0);
            backlogs.sample(NOW + second * 1_000L);
        }
        put("acme", accepted + 40, 0);
        backlogs.sample(NOW + 101_000);
        assertThat(backlogs.of("acme").waiting()).isZero();
    }

    @Test
    void a_tenant_whose_items_are_never_routed_has_the_age_of_its_backlog() {
        backlogs.ofSender("acme", NOW);
        backlogs.sent("acme");
        for (int second = 1; second <= 7_200; second++) {
            backlogs.sample(NOW + second * 1_000L);
        }
        assertThat(backlogs.of("acme").waiting()).isEqualTo(1);
        assertThat(backlogs.of("acme").drainMillis()).isBetween(7_190e3, 7_200e3);
    }

    @Test
    void tenants_beyond_the_bound_have_a_depth_without_a_time_and_idle_ones_make_room() {
        backlogs.ofSender("a", NOW);
        backlogs.ofSender("b", NOW);
        put("c", 5, 5);
        assertThat(backlogs.ofSender("c", NOW).waiting()).isEqualTo(5);
        assertThat(backlogs.size()).isEqualTo(2);
        for (int second = 1; second <= 3_601; second++) {
            backlogs.sample(NOW + second * 1_000L);
        }
        assertThat(backlogs.size()).isZero();
    }

    private void put(String tenant, long accepted, long waiting) {
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        left[ItemState.OUTSIDE.ordinal()] = accepted;
        entered[ItemState.HOT.ordinal()] = accepted;
        left[ItemState.HOT.ordinal()] = accepted - waiting;
        entered[ItemState.DONE.ordinal()] = accepted - waiting;
        depths.put(tenant, Depths.encode(tenant, new Depth(
                TenantBalance.of(entered, left), FlowRates.startingAt(NOW), GrowingLimit.NONE, 0)));
    }
}
