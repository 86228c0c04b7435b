package io.spillway.kafka.periodic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {
    @Test
    void a_task_outlives_failures_and_errors_and_reports_the_first_of_a_row() {
        Deque<Optional<Throwable>> runs = new ArrayDeque<>(Arrays.asList(
                Optional.of(new IllegalStateException("no answer\n")), Optional.of(new OutOfMemoryError("heap")),
                Optional.empty(), Optional.of(new ArithmeticException()), Optional.of(new OutOfMemoryError())));
        List<String> reported = new ArrayList<>();
        Runnable task = PeriodicTask.resilient(() -> runs.remove().ifPresent(PeriodicTaskTest::raise), reported::add);
        while (!runs.isEmpty()) {
            task.run();
        }
        assertThat(reported).containsExactly("no answer\\u000a", "java.lang.ArithmeticException");
    }

    private static void raise(Throwable failure) {
        switch (failure) {
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new AssertionError(failure);
        }
    }
}
