package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.sharding.Shard;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ShardAssignmentsTest {
    private static final ShardAssignment FIRST = new ShardAssignment(2, Optional.of(Shard.of(0, 1)));
    private static final ShardAssignment SECOND = new ShardAssignment(2, Optional.of(Shard.of(2, 3)));

    private final ShardAssignments assignments = new ShardAssignments(4);

    @Test
    void a_tenant_never_lacks_a_shard_while_it_gets_another() throws Exception {
        byte[] first = FIRST.encode("acme");
        byte[] second = SECOND.encode("acme");
        assignments.put("acme", first);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicBoolean lacked = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            while (!stop.get()) {
                if (assignments.of("acme").isEmpty()) {
                    lacked.set(true);
                }
            }
        });
        reader.start();
        for (int i = 0; i < 200_000 && !lacked.get(); i++) {
            assignments.put("acme", i % 2 == 0 ? second : first);
        }
        stop.set(true);
        reader.join();
        assertThat(lacked).isFalse();
    }

    @Test
    void an_assignment_that_does_not_fit_ends_the_previous_one() {
        assignments.put("acme", FIRST.encode("acme"));
        byte[] tooFar = new ShardAssignment(2, Optional.of(Shard.of(2, 4))).encode("acme");
        assertThatThrownBy(() -> assignments.put("acme", tooFar)).hasMessageContaining("slot 4 does not exist");
        assertThat(assignments.of("acme")).isEmpty();
        assertThat(assignments.answer("acme")).isEmpty();
    }
}
