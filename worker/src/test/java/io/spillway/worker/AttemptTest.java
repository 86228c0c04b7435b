package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lease of 100 ms from time 0, renewable up to 1,000 ms. */
class AttemptTest {
    private static final long MILLI = 1_000_000;

    private long nowMillis;
    private long stepMillis;
    private final TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, "100ms"));
    private final Attempt attempt = new Attempt(
            null, null, policy, new AttemptTimeouts(1).start("t", policy, 0, false, 0),
            () -> Instant.ofEpochMilli(nowMillis + stepMillis), () -> nowMillis * MILLI, 0, 1_000);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void the_end_of_the_lease_interrupts_the_call_once() {
        attempt.begin(Thread.currentThread());
        assertThat(attempt.interruptIfOverdue(99 * MILLI)).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(attempt.interruptIfOverdue(100 * MILLI)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempt.interruptIfOverdue(101 * MILLI)).as("a second interrupt").isFalse();
        assertThat(attempt.finish()).isEqualTo(Attempt.Interruption.LEASE_ENDED);
    }

    @Test
    void a_renewal_counts_from_now_up_to_the_maximum_and_never_shortens_the_lease() {
        attempt.begin(Thread.currentThread());
        nowMillis = 90;
        assertThat(attempt.renew(Duration.ofMillis(200))).isEqualTo(Instant.ofEpochMilli(290));
        assertThat(attempt.renew(Duration.ofMillis(1))).isEqualTo(Instant.ofEpochMilli(290));
        assertThat(attempt.interruptIfOverdue(289 * MILLI)).isFalse();
        nowMillis = 280;
        assertThat(attempt.renew(Duration.ofHours(1))).isEqualTo(Instant.ofEpochMilli(1_000));
        assertThat(attempt.endsAt()).isEqualTo(Instant.ofEpochMilli(1_000));
        assertThat(attempt.interruptIfOverdue(1_000 * MILLI)).isTrue();
    }

    @Test
    void a_step_of_the_wall_clock_does_not_end_the_lease() {
        attempt.begin(Thread.currentThread());
        nowMillis = 50;
        stepMillis = 86_400_000;
        assertThat(attempt.interruptIfOverdue(nowMillis * MILLI)).isFalse();
        assertThat(attempt.endsAt()).as("50 ms are left").isEqualTo(Instant.ofEpochMilli(86_400_100));
        assertThat(attempt.renew(Duration.ofMillis(200))).isEqualTo(Instant.ofEpochMilli(86_400_250));
        assertThat(attempt.interruptIfOverdue(249 * MILLI)).isFalse();
        assertThat(attempt.interruptIfOverdue(250 * MILLI)).isTrue();
    }

    @Test
    void a_lease_that_has_ended_cannot_be_renewed() {
        attempt.begin(Thread.currentThread());
        attempt.interruptIfOverdue(100 * MILLI);
        assertThatThrownBy(() -> attempt.renew(Duration.ofMillis(10))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_call_that_has_returned_is_never_interrupted() {
        attempt.begin(Thread.currentThread());
        assertThat(attempt.finish()).isEqualTo(Attempt.Interruption.NONE);
        assertThat(attempt.interruptIfOverdue(100 * MILLI)).isFalse();
        assertThat(attempt.interrupt(Attempt.Interruption.PARTITION_LEFT)).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThatThrownBy(() -> attempt.renew(Duration.ofMillis(10))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void an_interrupt_before_the_call_takes_effect_when_the_call_begins() {
        attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
        attempt.begin(Thread.currentThread());
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void a_call_outside_system_exit_does_not_end_the_process() {
        attempt.begin(Thread.currentThread());
        assertThat(attempt.exitCaller()).isEmpty();
    }

    @Test
    void a_call_in_system_exit_is_found_with_the_frame_that_called_it() {
        Thread caller = new Thread("caller") {
            @Override
            public StackTraceElement[] getStackTrace() {
                return new StackTraceElement[] {
                    new StackTraceElement("java.lang.Shutdown", "exit", "Shutdown.java", 1),
                    new StackTraceElement("java.lang.Runtime", "exit", "Runtime.java", 2),
                    new StackTraceElement("java.lang.System", "exit", "System.java", 3),
                    new StackTraceElement("com.example.MailHandler", "handle", "MailHandler.java", 4)};
            }
        };
        attempt.begin(caller);

        assertThat(attempt.exitCaller()).map(StackTraceElement::toString)
                .contains("com.example.MailHandler.handle(MailHandler.java:4)");
    }

    @Test
    void the_place_of_its_thread_is_the_handlers_and_not_the_jdks() throws InterruptedException {
        assertThat(attempt.where()).as("before it has a thread").isEmpty();
        Thread waiting = Thread.ofVirtual().start(AttemptTest::waitForEver);
        attempt.begin(waiting);
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        assertThat(attempt.where()).startsWith("io.spillway.worker.AttemptTest.waitForEver(AttemptTest.java:")
                .doesNotContain("java.base");
        waiting.interrupt();
        waiting.join();
    }

    private static void waitForEver() {
        LockSupport.park();
    }
}
