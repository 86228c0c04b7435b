package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.gateway.InFlight.Entry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // Against a hang; nothing is measured.
class InFlightTest {
    private static final int MEBIBYTE = 1_048_576;

    private final InFlight inFlight = new InFlight(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(
            "gateway.limits.requests", "4", "gateway.limits.tenantRequests", "2",
            "gateway.limits.bytesInFlight", "4194304", "gateway.limits.batchBytes", "2097152")).gateway().limits());

    @Test
    void a_tenant_has_its_share_and_no_more() {
        assertThat(inFlight.enter("acme")).isEqualTo(Entry.ENTERED);
        assertThat(inFlight.enter("acme")).isEqualTo(Entry.ENTERED);
        assertThat(inFlight.enter("acme")).isEqualTo(Entry.TENANT_FULL);
        assertThat(inFlight.enter("bolt")).isEqualTo(Entry.ENTERED);
        inFlight.leave("acme", 0);
        assertThat(inFlight.enter("acme")).isEqualTo(Entry.ENTERED);
        assertThat(inFlight.requests()).isEqualTo(3);
    }

    @Test
    void all_together_have_a_limit() {
        for (String tenant : new String[] {"a", "b", "c", "d"}) {
            assertThat(inFlight.enter(tenant)).isEqualTo(Entry.ENTERED);
        }
        assertThat(inFlight.enter("e")).isEqualTo(Entry.FULL);
    }

    @Test
    void bodies_take_room_of_which_a_tenant_has_half() throws Exception {
        inFlight.enter("acme");
        inFlight.enter("acme");
        inFlight.enter("bolt");
        assertThat(inFlight.take("acme", 2 * MEBIBYTE)).isTrue();
        assertThat(inFlight.take("acme", 1)).as("after a second").isFalse();
        assertThat(inFlight.take("bolt", 2 * MEBIBYTE)).isTrue();
        inFlight.leave("acme", 2 * MEBIBYTE);
        assertThat(inFlight.take("acme", MEBIBYTE)).isTrue();
    }

    @Test
    void after_the_stop_nobody_comes_in_and_whoever_is_in_is_waited_for() throws Exception {
        inFlight.enter("acme");
        CountDownLatch waits = new CountDownLatch(1);
        inFlight.stop();
        CompletableFuture<Integer> left = CompletableFuture.supplyAsync(() -> {
            waits.countDown();
            try {
                return inFlight.awaitNone(60_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waits.await();
        assertThat(inFlight.enter("bolt")).isEqualTo(Entry.STOPPING);
        assertThat(inFlight.isStopping()).isTrue();
        assertThat(left).isNotDone();
        inFlight.leave("acme", 0);
        assertThat(left.get()).isZero();
    }

    @Test
    void whoever_does_not_leave_is_counted() throws Exception {
        inFlight.enter("acme");
        assertThat(inFlight.awaitNone(1)).isEqualTo(1);
    }
}
