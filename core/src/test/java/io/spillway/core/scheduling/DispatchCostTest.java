package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cost of one item under the worker's lock: printed only, since a time limit fails on a busy machine. */
@Tag("slow")
class DispatchCostTest {
    private static final int CYCLES = 300_000;
    private static final int RUNS = 5;
    private static final int IN_FLIGHT = 40;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.DEFAULTS);

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000, 100_000})
    void offer_take_and_ended_are_measured_with_every_tenant_waiting(int tenants) {
        FairDispatch<String> dispatch = new FairDispatch<>(DispatchSettings.of(50));
        String[] names = new String[tenants];
        for (int i = 0; i < tenants; i++) {
            names[i] = "tenant-" + i;
            DispatchTimeline.offer(dispatch, Lane.HOT, names[i], POLICY, names[i], 0);
        }
        long bestNanos = Long.MAX_VALUE;
        for (int run = 0; run < RUNS; run++) {
            long started = System.nanoTime();
            cycle(dispatch, names, run * CYCLES * 5_000L);
            bestNanos = Math.min(bestNanos, (System.nanoTime() - started) / CYCLES);
        }
        System.out.printf("%,d tenants: %,d ns for offer, take and ended%n", tenants, bestNanos);
        assertThat(dispatch.waiting(Lane.HOT)).isEqualTo(tenants);
        assertThat(dispatch.pool.inFlight).isZero();
    }

    /** Each step ends the oldest of 40 attempts, offers an item and starts one, so the backlog stays constant. */
    private static void cycle(FairDispatch<String> dispatch, String[] names, long fromNanos) {
        Deque<SlotLease<String>> running = new ArrayDeque<>();
        long nowNanos = fromNanos;
        for (int i = 0; i < CYCLES; i++) {
            nowNanos += 5_000;
            if (running.size() == IN_FLIGHT) {
                dispatch.ended(running.poll(), nowNanos);
            }
            String name = names[(int) (i * 2_654_435_761L % names.length)];
            DispatchTimeline.offer(dispatch, Lane.HOT, name, POLICY, name, 0);
            dispatch.take(true, nowNanos).ifPresent(running::add);
        }
        for (SlotLease<String> start : running) {
            dispatch.ended(start, nowNanos);
        }
    }
}
