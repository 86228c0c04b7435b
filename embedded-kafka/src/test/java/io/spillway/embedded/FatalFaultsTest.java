package io.spillway.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.utils.Exit;
import org.junit.jupiter.api.Test;

class FatalFaultsTest {
    private final List<Integer> halts = new ArrayList<>();
    private final FatalFaults faults = new FatalFaults(halts::add);

    @Test
    void a_fatal_fault_while_starting_fails_the_start_and_does_not_halt_the_process() {
        faults.build("metadata loading", true, () -> {})
                .handleFault("no such record", new IllegalStateException("bad byte"));

        assertThatThrownBy(() -> faults.started().get())
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("metadata loading: no such record")
                .hasRootCauseMessage("bad byte");
        assertThat(halts).isEmpty();
    }

    @Test
    void a_fatal_fault_while_running_halts_the_process_with_an_error() {
        faults.running();
        faults.build("raft manager", true, () -> {}).handleFault("log lost", null);

        assertThat(faults.started()).isCompleted();
        assertThat(halts).containsExactly(1);
    }

    @Test
    void a_fatal_fault_while_stopping_does_not_halt_the_process() {
        faults.running();
        faults.stopping();
        faults.build("raft manager", true, () -> {}).handleFault("channel closed", null);

        assertThat(halts).isEmpty();
    }

    @Test
    void a_start_that_failed_never_becomes_a_running_broker() {
        faults.build("raft manager", true, () -> {}).handleFault("log lost", null);
        faults.running();
        faults.build("raft manager", true, () -> {}).handleFault("still lost", null);

        assertThat(faults.started()).isCompletedExceptionally();
        assertThat(halts).isEmpty();
    }

    @Test
    void a_fault_that_is_not_fatal_does_not_halt_the_process() {
        faults.running();
        faults.build("metadata publishing", false, () -> {}).handleFault("one topic skipped", null);

        assertThat(halts).isEmpty();
    }

    @Test
    void a_thread_of_a_starting_broker_that_exits_or_halts_fails_the_start() throws Exception {
        Thread exits = new Thread(faults, () -> Exit.exit(1, "request handler lost"), "exits");
        List<Throwable> ends = new ArrayList<>();
        exits.setUncaughtExceptionHandler((thread, failure) -> ends.add(failure));
        exits.start();
        exits.join();

        assertThat(ends).hasOnlyElementsOfType(Error.class);
        assertThat(faults.started()).isCompletedExceptionally();
        assertThat(halts).isEmpty();
    }

    @Test
    void a_thread_of_a_running_broker_that_halts_also_halts_the_process() throws Exception {
        faults.running();
        Thread starter = new Thread(faults, () -> {
            Thread child = new Thread(() -> Exit.halt(1, "all log directories failed"), "started by a broker thread");
            child.setUncaughtExceptionHandler((thread, failure) -> {});
            child.start();
            try {
                child.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        starter.start();
        starter.join();

        assertThat(halts).containsExactly(1);
    }
}
