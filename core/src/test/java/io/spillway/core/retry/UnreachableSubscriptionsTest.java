package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.UnreachableSubscriptions.Subscriber;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnreachableSubscriptionsTest {
    private static final Subscriber HOOK = new Subscriber("acme", "~hook");

    private final UnreachableSubscriptions unreachable = new UnreachableSubscriptions();

    @Test
    void a_subscription_is_unreachable_when_a_delivery_is_over_and_attempts_of_the_next_minute_fail() {
        unreachable.over("acme", "~hook", 1_000);
        unreachable.over("acme", "~hook", 31_000);
        attempts("acme", "example.org:443~hook", 2, 0);
        assertThat(unreachable.take(60_999)).isEmpty();
        assertThat(unreachable.take(61_000)).containsExactly(HOOK);
        assertThat(HOOK.name()).isEqualTo("hook");
        assertThat(unreachable.take(61_001)).as("once").isEmpty();
    }

    @Test
    void one_success_says_that_its_receiver_works() {
        unreachable.over("acme", "~hook", 0);
        attempts("acme", "example.org:443~hook", 5, 0);
        attempts("acme", "example.org:443~hook", 5, 1);
        attempts("acme", "example.org:443~hook", 5, 0);
        assertThat(unreachable.take(60_000)).isEmpty();
    }

    @Test
    void what_ended_before_or_elsewhere_does_not_count() {
        attempts("acme", "example.org:443~hook", 5, 0);
        unreachable.over("acme", "~hook", 0);
        attempts("acme", "example.org:443~other", 5, 0);
        attempts("globex", "example.org:443~hook", 5, 5);
        assertThat(unreachable.take(60_000)).as("resumed, and not tried yet").isEmpty();
        attempts("acme", "a~b~hook", 1, 0);
        assertThat(unreachable.take(70_000)).as("of a handler that names destinations so").containsExactly(HOOK);
    }

    @Test
    void without_attempts_it_is_forgotten() {
        unreachable.over("acme", "~hook", 0);
        assertThat(unreachable.take(UnreachableSubscriptions.FORGOTTEN_MILLIS)).isEmpty();
        attempts("acme", "example.org:443~hook", 5, 0);
        assertThat(unreachable.take(UnreachableSubscriptions.FORGOTTEN_MILLIS + 1)).isEmpty();
    }

    @Test
    void further_ones_than_the_bound_are_left_out() {
        for (int i = 0; i <= UnreachableSubscriptions.MOST; i++) {
            unreachable.over("t" + i, "~hook", 0);
        }
        for (int i = 0; i <= UnreachableSubscriptions.MOST; i++) {
            attempts("t" + i, "~hook", 1, 0);
        }
        assertThat(unreachable.take(60_000)).hasSize(UnreachableSubscriptions.MOST);
    }

    private void attempts(String tenant, String destination, long ended, long succeeded) {
        unreachable.counted(List.of(new AttemptCounts(
                new RetryKey(destination, tenant), AttemptCounts.UNKNOWN, ended, succeeded, 0, 0)));
    }
}
