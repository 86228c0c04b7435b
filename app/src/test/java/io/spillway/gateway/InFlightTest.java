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
        InFlight.Request first = entered("acme");
        entered("acme");
        assertThat(inFlight.of("acme").enter()).map(Problem::kind).contains(Problem.Kind.TOO_MANY_REQUESTS);
        entered("bolt");
        first.leave();
        entered("acme");
        assertThat(inFlight.requests()).isEqualTo(3);
    }

    @Test
    void the_requests_of_all_tenants_are_limited() {
        for (String tenant : new String[] {"a", "b", "c", "d"}) {
            entered(tenant);
        }
        assertThat(inFlight.of("e").enter()).map(Problem::kind).contains(Problem.Kind.BUSY);
    }

    @Test
    void a_tenant_may_hold_as_much_memory_as_stays_free_and_its_oldest_request_all_that_is_free() throws Exception {
        InFlight.Request oldest = entered("acme");
        InFlight.Request second = entered("acme");
        InFlight.Request other = entered("bolt");
        assertThat(second.hold(2 * MEBIBYTE)).as("half, as the only one").isTrue();
        assertThat(second.hold(1)).as("after a second").isFalse();
        assertThat(second.isRefused()).isTrue();
        assertThat(oldest.hold(MEBIBYTE)).isTrue();
        assertThat(other.hold(MEBIBYTE)).as("all that is left, as the oldest of its tenant").isTrue();
        assertThat(oldest.hold(1)).as("nothing is free").isFalse();
        other.leave();
        assertThat(oldest.hold(MEBIBYTE)).isTrue();
        second.leave();
        oldest.leave();
        InFlight.Request later = entered("acme");
        assertThat(later.hold(4 * MEBIBYTE)).as("what was held is free").isTrue();
    }

    @Test
    void memory_that_becomes_free_goes_to_those_who_wait() throws Exception {
        InFlight.Request holder = entered("acme");
        InFlight.Request waiter = entered("bolt");
        assertThat(holder.hold(4 * MEBIBYTE)).isTrue();
        CountDownLatch starts = new CountDownLatch(1);
        CompletableFuture<Boolean> held = CompletableFuture.supplyAsync(() -> {
            starts.countDown();
            try {
                return waiter.hold(MEBIBYTE);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        starts.await();
        holder.leave();
        assertThat(held.get()).isTrue();
    }

    @Test
    void a_stop_rejects_new_requests_and_waits_for_those_in_flight() throws Exception {
        InFlight.Request request = entered("acme");
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
        assertThat(inFlight.of("bolt").enter()).map(Problem::kind).contains(Problem.Kind.STOPPING);
        assertThat(inFlight.isStopping()).isTrue();
        assertThat(left).isNotDone();
        request.leave();
        assertThat(left.get()).isZero();
    }

    @Test
    void unanswered_requests_are_counted() throws Exception {
        entered("acme");
        assertThat(inFlight.awaitNone(1)).isEqualTo(1);
    }

    private InFlight.Request entered(String tenant) {
        InFlight.Request request = inFlight.of(tenant);
        assertThat(request.enter()).isEmpty();
        return request;
    }
}
