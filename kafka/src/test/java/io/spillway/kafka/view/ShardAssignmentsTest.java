package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.sharding.PolynomialShards;
import org.junit.jupiter.api.Test;

class ShardAssignmentsTest {
    private final ShardAssignments assignments = new ShardAssignments();

    @Test
    void a_tenant_has_the_last_number_that_was_written() {
        assertThat(assignments.numberOf("acme")).isEqualTo(PolynomialShards.NONE);
        assignments.put("acme", new ShardAssignment(131_872_228).encode("acme"));
        assertThat(assignments.numberOf("acme")).isEqualTo(131_872_228);
        assertThat(assignments.contains("acme")).isTrue();
    }

    @Test
    void a_refusal_is_an_answer_without_a_number() {
        assignments.put("acme", new ShardAssignment(PolynomialShards.NONE).encode("acme"));
        assertThat(assignments.numberOf("acme")).isEqualTo(PolynomialShards.NONE);
        assertThat(assignments.contains("acme")).isTrue();
        assertThatThrownBy(() -> new ShardAssignment(-2)).hasMessageContaining("number -2: must be 0 or more");
    }

    @Test
    void an_assignment_of_a_later_release_is_refused_with_what_to_do() {
        byte[] unknown = new ShardAssignment(1).encode("acme");
        unknown[3]++;
        assertThatThrownBy(() -> assignments.put("acme", unknown))
                .hasMessageContaining("if a later release wrote it, upgrade this process");
        assertThat(assignments.contains("acme")).isFalse();
    }
}
