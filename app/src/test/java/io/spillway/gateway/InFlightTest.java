package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
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
    void the_requests_of_a_tenant_are_limited() {
        assertThat(inFlight.enter("acme")).isEmpty();
        assertThat(inFlight.enter("acme")).isEmpty();
        assertThat(inFlight.enter("acme")).map(Problem::kind).contains(Problem.Kind.TOO_MANY_REQUESTS);
        assertThat(inFlight.enter("bolt")).isEmpty();
        inFlight.leave("acme", 0);
        assertThat(inFlight.enter("acme")).isEmpty();
        assertThat(inFlight.requests()).isEqualTo(3);
    }

    @Test
    void the_requests_of_all_tenants_are_limited() {
        for (String tenant : new String[] {"a", "b", "c", "d"}) {
            assertThat(inFlight.enter(tenant)).isEmpty();
        }
        assertThat(inFlight.enter("e")).map(Problem::kind).contains(Problem.Kind.BUSY);
    }

    @Test
    void the_bodies_of_a_tenant_may_use_half_of_the_memory() throws Exception {
        inFlight.enter("acme");
        inFlight.enter("acme");
        inFlight.enter("bolt");
        assertThat(inFlight.reserve("acme", 2 * MEBIBYTE)).isTrue();
        assertThat(inFlight.reserve("acme", 1)).as("after a second").isFalse();
        assertThat(inFlight.reserve("bolt", 2 * MEBIBYTE)).isTrue();
        inFlight.leave("acme", 2 * MEBIBYTE);
        assertThat(inFlight.reserve("acme", MEBIBYTE)).isTrue();
    }

    @Test
    void a_stop_rejects_new_requests_and_waits_for_those_in_flight() throws Exception {
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
        assertThat(inFlight.enter("bolt")).map(Problem::kind).contains(Problem.Kind.STOPPING);
        assertThat(inFlight.isStopping()).isTrue();
        assertThat(left).isNotDone();
        inFlight.leave("acme", 0);
        assertThat(left.get()).isZero();
    }

    @Test
    void unanswered_requests_are_counted() throws Exception {
        inFlight.enter("acme");
        assertThat(inFlight.awaitNone(1)).isEqualTo(1);
    }
}
