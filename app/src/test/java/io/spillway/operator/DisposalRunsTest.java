package io.spillway.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.Survey;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Runs whose thread or whose record fails: none may be active for ever. */
class DisposalRunsTest {
    private final CountDownLatch began = new CountDownLatch(1);
    private final QueueForTests queue = new QueueForTests() {
        @Override
        public Optional<RunResult> run(
            DisposalOrder order, Function<Survey, DisposalOrder> surveyed, ScanListener watch) {
            began.countDown();
            throw new StackOverflowError("in a test");
        }
    };
    private final DisposalRuns runs = new DisposalRuns(
            queue, new ActionRecorder(queue.topics.actions(), InstantSource.system(), () -> 1), () -> 7);

    @Test
    void a_run_that_ends_with_an_error_has_failed() throws Exception {
        String id = runs.start(order(), "olga");
        began.await();
        runs.close();
        assertThat(runs.get(id).orElseThrow()).containsEntry("state", "failed")
                .containsEntry("result", "Internal error; see the gateway's log.");
    }

    @Test
    void an_order_that_cannot_be_recorded_is_no_run() {
        queue.failure = Optional.of(new IllegalStateException("a defect"));
        assertThatThrownBy(() -> runs.start(order(), "olga")).hasMessage("a defect");
        assertThat(runs.all()).isEmpty();
    }

    private static DisposalOrder order() {
        return new DisposalOrder(DisposalOrder.Kind.DISCARD, DisposalOrder.filter(Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Set.of(), 0), 1, Long.MAX_VALUE, 0);
    }
}
