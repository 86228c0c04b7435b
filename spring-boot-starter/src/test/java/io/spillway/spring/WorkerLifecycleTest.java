package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

class WorkerLifecycleTest {
    private final ApplicationContextRunner configured = new ApplicationContextRunner().withConfiguration(
                    AutoConfigurations.of(JacksonAutoConfiguration.class, SpillwayAutoConfiguration.class))
            .withPropertyValues("spillway.kafka.bootstrap.servers=127.0.0.1:1");

    @Test
    void the_worker_has_stopped_before_any_bean_hears_that_the_context_closes() {
        List<Boolean> running = new ArrayList<>();
        configured.run(context -> {
            WorkerLifecycle worker = context.getBean(WorkerLifecycle.class);
            // As Spring's executors, which take no more tasks from then on.
            ApplicationListener<ContextClosedEvent> other = closed -> running.add(worker.isRunning());
            context.getSourceApplicationContext(GenericApplicationContext.class).addApplicationListener(other);
            assertThat(worker.isRunning()).isTrue();
        });
        assertThat(running).containsExactly(false);
    }

    @Test
    void the_close_of_a_child_context_does_not_stop_the_worker() {
        configured.run(context -> {
            GenericApplicationContext child = new GenericApplicationContext(context);
            child.refresh();
            child.close();
            assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isTrue();
        });
    }
}
