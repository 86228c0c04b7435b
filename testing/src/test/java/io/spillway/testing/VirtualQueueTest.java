package io.spillway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualQueueTest {
    private static final Handler DONE = delivery -> Outcome.done();

    private final VirtualQueue queue = new VirtualQueue();

    @Test
    void an_item_reaches_the_handler_as_it_was_sent_with_lane_attempt_lease_and_times_of_the_run() {
        List<Delivery> seen = new ArrayList<>();
        List<Instant> calledAt = new ArrayList<>();
        queue.send(Duration.ofSeconds(3), DeliveryBuilder.of("acme", "m-1").workload("mail").channel("web")
                .payload("hello".getBytes(StandardCharsets.UTF_8)));

        VirtualRun run = queue.run(delivery -> {
            seen.add(delivery);
            calledAt.add(queue.clock().instant());
            return Outcome.done();
        });

        assertThat(run.done().size()).isEqualTo(1);
        Delivery delivery = seen.getFirst();
        assertThat(delivery.tenant()).isEqualTo("acme");
        assertThat(delivery.workload()).isEqualTo("mail");
        assertThat(delivery.channel()).isEqualTo("web");
        assertThat(delivery.payload()).asString(StandardCharsets.UTF_8).isEqualTo("hello");
        assertThat(delivery.lane()).isEqualTo("hot");
        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(calledAt.getFirst()).isBetween(delivery.enqueuedAt(), delivery.enqueuedAt().plusMillis(200));
        assertThat(delivery.lease().endsAt()).isEqualTo(calledAt.getFirst().plusSeconds(30));
    }

    @Test
    void during_an_outage_items_are_retried_and_all_are_done_after_it() {
        queue.outage("mail", Duration.ZERO, Duration.ofMinutes(10));
        for (int i = 0; i < 20; i++) {
            queue.send(Duration.ofSeconds(i), DeliveryBuilder.of("acme", "m-" + i));
        }

        VirtualRun run = queue.run(
                delivery -> queue.isDown("mail") ? Outcome.unavailable("connection refused") : Outcome.done());

        assertThat(run.done().size()).isEqualTo(20);
        assertThat(run.dead().size()).isZero();
        assertThat(run.attempts()).isGreaterThan(20);
        assertThat(run.items()).allSatisfy(
                item -> assertThat(item.age().orElseThrow()).isGreaterThan(Duration.ofMinutes(9)));
    }

    @Test
    void an_item_that_always_fails_while_others_succeed_is_a_dead_letter_after_its_attempts() {
        queue.policy("acme", "attempts", "3");
        queue.flood("acme", Duration.ZERO, Duration.ofMinutes(5), 1);
        queue.send(Duration.ofSeconds(10), DeliveryBuilder.of("acme", "bad"));

        VirtualRun run = queue.run(
                delivery -> delivery.id().equals("bad") ? Outcome.retry("no such user") : Outcome.done());

        ItemResult bad = run.item("bad");
        assertThat(bad.state()).isEqualTo(ItemResult.State.DEAD);
        assertThat(bad.reason()).isEqualTo("attempts-used-up");
        assertThat(bad.detail()).contains("no such user");
        assertThat(bad.attempts()).isEqualTo(3);
        assertThat(run.done().size()).isEqualTo(300);
    }

    @Test
    void outcomes_decide_the_end_of_an_item() {
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "dead"));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "later"));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "throws"));

        VirtualRun run = queue.run(delivery -> switch (delivery.id()) {
            case "dead" -> Outcome.dead("an empty mail");
            case "later" -> queue.clock().instant().isBefore(delivery.enqueuedAt().plusSeconds(60))
                    ? Outcome.later(Duration.ofMinutes(2)) : Outcome.done();
            default -> {
                if (delivery.attempt() == 1) {
                    throw new IllegalStateException("busy");
                }
                yield Outcome.done();
            }
        });

        assertThat(run.item("dead")).satisfies(item -> {
            assertThat(item.state()).isEqualTo(ItemResult.State.DEAD);
            assertThat(item.reason()).isEqualTo("final-failure");
            assertThat(item.detail()).isEqualTo("an empty mail");
            assertThat(item.attempts()).isEqualTo(1);
        });
        assertThat(run.item("later").age().orElseThrow())
                .isBetween(Duration.ofMinutes(2), Duration.ofSeconds(122));
        assertThat(run.item("throws").state()).isEqualTo(ItemResult.State.DONE);
        assertThat(run.item("throws").attempts()).isEqualTo(2);
    }

    @Test
    void a_call_that_outlasts_its_lease_is_a_timeout_and_one_that_extends_it_is_not() {
        queue.policy("*", "timeout", "5s").handlingTime(delivery ->
                delivery.attempt() == 1 ? Duration.ofSeconds(8) : Duration.ofMillis(20));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "slow"));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "extended"));

        VirtualRun run = queue.run(delivery -> {
            if (delivery.id().equals("extended")) {
                delivery.lease().renew(Duration.ofSeconds(10));
            }
            return Outcome.done();
        });

        assertThat(run.item("slow").attempts()).isEqualTo(2);
        assertThat(run.item("extended").attempts()).isEqualTo(1);
        assertThat(run.item("extended").age().orElseThrow()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(9));
    }

    @Test
    void a_flood_of_one_tenant_does_not_delay_the_items_of_another() {
        queue.setting("worker.slots", "10").handlingTime(delivery -> Duration.ofMillis(100));
        queue.flood("noisy", Duration.ZERO, Duration.ofMinutes(1), 400);
        queue.flood("quiet", Duration.ZERO, Duration.ofMinutes(1), 1);

        VirtualRun run = queue.run(DONE);

        assertThat(run.done().size()).isEqualTo(24_060);
        assertThat(run.of("quiet").oldestFirstAttempt().orElseThrow()).isLessThan(Duration.ofSeconds(2));
        assertThat(run.of("noisy").oldestFirstAttempt().orElseThrow()).isGreaterThan(Duration.ofMinutes(1));
    }

    @Test
    void after_the_death_of_a_worker_what_it_had_not_committed_is_handled_again() {
        queue.handlingTime(delivery -> Duration.ofSeconds(2));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "m-1"));
        queue.kill(Duration.ofSeconds(1), 0);

        VirtualRun run = queue.run(DONE);

        assertThat(run.item("m-1").state()).isEqualTo(ItemResult.State.DONE);
        assertThat(run.item("m-1").attempts()).isEqualTo(2);
        assertThat(run.item("m-1").age().orElseThrow()).isGreaterThan(Duration.ofSeconds(11));
    }

    @Test
    void an_item_that_kills_every_worker_becomes_a_dead_letter_and_the_others_are_done() {
        queue.workers(2);
        queue.flood("other", Duration.ZERO, Duration.ofSeconds(20), 5);
        queue.send(Duration.ofSeconds(1), DeliveryBuilder.of("acme", "poison"));

        VirtualRun run = queue.run(delivery -> {
            if (delivery.id().equals("poison")) {
                throw new WorkerDeath();
            }
            return Outcome.done();
        });

        assertThat(run.item("poison").reason()).isEqualTo("killed-worker");
        assertThat(run.of("other").done().size()).isEqualTo(100);
    }

    @Test
    void a_run_ends_at_its_limit_and_is_the_same_when_it_is_repeated() {
        queue.limit(Duration.ofMinutes(3));
        queue.send(Duration.ZERO, DeliveryBuilder.of("acme", "m-1"));
        queue.send(Duration.ofMinutes(4), DeliveryBuilder.of("acme", "m-2"));
        Handler failing = delivery -> Outcome.unavailable("down");

        VirtualRun run = queue.run(failing);

        assertThat(run.waiting().size()).isEqualTo(2);
        assertThat(run.item("m-1").attempts()).isGreaterThan(2);
        assertThat(run.item("m-2").attempts()).isZero();
        assertThat(queue.run(failing)).isEqualTo(run);
    }

    @Test
    void what_is_not_known_is_refused() {
        assertThatThrownBy(() -> queue.policy("acme", "speed", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("speed").hasMessageContaining("rate");
        assertThatThrownBy(() -> queue.setting("gateway.port", "1").run(DONE))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("gateway.port");
    }
}
