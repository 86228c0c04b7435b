package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkloadPolicyTest {
    private static final WorkloadPolicy MAIL = new WorkloadPolicy(2, 5);

    @Test
    void one_limit_is_replaced_and_the_others_stay() {
        assertThat(MAIL.with(PolicyField.WEIGHT, 3.0)).isEqualTo(new WorkloadPolicy(3, 5));
        assertThat(MAIL.with(PolicyField.CONCURRENCY, 7L)).isEqualTo(new WorkloadPolicy(2, 7));
        assertThat(MAIL.with(PolicyField.CONCURRENCY, PolicyField.NONE))
                .isEqualTo(new WorkloadPolicy(2, Integer.MAX_VALUE));
        assertThat(MAIL.with(PolicyField.PAUSED, true))
                .isEqualTo(new WorkloadPolicy(2, 5, Double.POSITIVE_INFINITY, true));
        assertThat(MAIL.with(PolicyField.ATTEMPT_RATE, 2.5)).isEqualTo(new WorkloadPolicy(2, 5, 2.5, false));
        assertThat(MAIL.with(PolicyField.ATTEMPT_RATE, 2.5).with(PolicyField.ATTEMPT_RATE, -1.0)).isEqualTo(MAIL);
    }

    @Test
    void a_stored_value_out_of_its_range_is_refused_with_its_key() {
        assertThatIllegalArgumentException().isThrownBy(() -> MAIL.with(PolicyField.CONCURRENCY, 1L << 32))
                .withMessage("concurrency = 4294967296: must be 1 to 100000, or none");
    }

    @Test
    void the_text_and_the_stored_values_have_a_rate_and_a_pause_only_if_it_has_them() {
        assertThat(MAIL.format()).isEqualTo("weight=2 concurrency=5");
        assertThat(MAIL.values()).isEqualTo(Map.of(PolicyField.WEIGHT, 2.0, PolicyField.CONCURRENCY, 5L));
        assertThat(new WorkloadPolicy(2, 5, 7.5, false).format()).isEqualTo("weight=2 concurrency=5 attemptRate=7.5");
        WorkloadPolicy held = new WorkloadPolicy(0.5, Integer.MAX_VALUE, Double.POSITIVE_INFINITY, true);
        assertThat(held.format()).isEqualTo("weight=0.5 concurrency=none paused=true");
        assertThat(held.values()).isEqualTo(Map.of(
                PolicyField.WEIGHT, 0.5, PolicyField.CONCURRENCY, PolicyField.NONE, PolicyField.PAUSED, true));
    }
}
