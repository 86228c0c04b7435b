package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.spillway.embed.SpillwayWorker;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.producer.ItemBuilder;
import io.spillway.testing.broker.SpillwayExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** A whole application: sends, handles, shows its health and metrics, and drains when it stops. */
@Timeout(900) // Against a hang; nothing is measured.
class SpillwayApplicationIT {
    @RegisterExtension
    final SpillwayExtension spillway = new SpillwayExtension();

    record Order(String sku, int count) {}

    /** Bean of the application that must be there as long as a handler runs. */
    static final class Shop implements AutoCloseable {
        final List<String> handled = new CopyOnWriteArrayList<>();
        final CountDownLatch slowRuns = new CountDownLatch(1);
        final CountDownLatch slowMayEnd = new CountDownLatch(1);
        volatile boolean closed;

        @SpillwayHandler
        void order(Order order, Delivery delivery) {
            handled.add(delivery.id() + ":" + order.sku());
        }

        @SpillwayHandler(workload = "slow")
        Outcome slow(byte[] payload) throws InterruptedException {
            slowRuns.countDown();
            slowMayEnd.await();
            handled.add("slow:" + closed);
            return Outcome.done();
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** OpenTelemetry of the application: without spans, it records who asks for a tracer. */
    static final class Telemetry implements OpenTelemetry {
        final List<String> scopes = new CopyOnWriteArrayList<>();

        @Override
        public TracerProvider getTracerProvider() {
            return new TracerProvider() {
                @Override
                public Tracer get(String scope) {
                    scopes.add(scope);
                    return TracerProvider.noop().get(scope);
                }

                @Override
                public Tracer get(String scope, String version) {
                    return get(scope);
                }
            };
        }

        @Override
        public ContextPropagators getPropagators() {
            return ContextPropagators.noop();
        }
    }

    /** Bean of the application that is told whether the worker is ready. */
    static final class Availability {
        final List<WorkerAvailability> published = new CopyOnWriteArrayList<>();

        @EventListener
        void changed(AvailabilityChangeEvent<WorkerAvailability> event) {
            published.add(event.getState());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        Telemetry telemetry() {
            return new Telemetry();
        }

        @Bean
        Availability availability() {
            return new Availability();
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }

    @Test
    void an_application_sends_and_handles_items_and_drains_before_its_beans_are_closed() throws Exception {
        ConfigurableApplicationContext application = SpringApplication.run(Application.class,
                "--spillway.kafka.bootstrap.servers=" + spillway.bootstrapServers(),
                "--spillway.prefix=" + spillway.prefix(), "--spillway.settings.worker.drainGrace=10s");
        Shop shop = application.getBean(Shop.class);
        Availability availability = application.getBean(Availability.class);
        try {
            SpillwayTemplate template = application.getBean(SpillwayTemplate.class);
            template.sendJson(ItemBuilder.of("acme").id("o-1"), new Order("apple", 2)).get();
            template.sendJson(ItemBuilder.of("acme").id("o-2"), new Order("pear", 1)).get();
            spillway.send(ItemBuilder.of("acme").id("bad").payload(new byte[] {'{'}));
            template.send(ItemBuilder.of("acme").id("slow").workload("slow")).get();
            shop.slowRuns.await();
            assertThat(application.getBean("spillwayHealthIndicator", HealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.UP);
            assertThat(application.getBean(MeterRegistry.class).find("spillway.handled")
                    .tag("queue", spillway.prefix()).counters()).isNotEmpty();
            assertThat(application.getBean(Telemetry.class).scopes).containsExactly("io.spillway");

            assertThat(availability.published).containsExactly(WorkerAvailability.READY);

            Thread closing = Thread.ofPlatform().start(application::close);
            while (application.getBean(WorkerLifecycle.class).health().ready()) {
                Thread.onSpinWait();
            }
            assertThat(shop.closed).isFalse();
            shop.slowMayEnd.countDown();
            closing.join();
        } finally {
            application.close();
        }

        spillway.awaitDone(4, Duration.ofMinutes(5));
        assertThat(shop.handled).contains("o-1:apple", "o-2:pear", "slow:false").hasSize(3);
        assertThat(spillway.done()).isEqualTo(3);
        assertThat(spillway.dead()).isEqualTo(1);
        assertThat(shop.closed).isTrue();
        assertThat(availability.published).containsExactly(WorkerAvailability.READY, WorkerAvailability.NOT_READY);
    }

    @Test
    void an_application_is_told_that_its_worker_has_ended_and_that_it_works_again() throws Exception {
        String[] arguments = {"--spillway.kafka.bootstrap.servers=" + spillway.bootstrapServers(),
            "--spillway.prefix=" + spillway.prefix(), "--spillway.worker.id=twin"};
        SpillwayWorker older = SpillwayWorker.builder()
                .kafka(Map.of("bootstrap.servers", spillway.bootstrapServers())).prefix(spillway.prefix()).id("twin")
                .handler(delivery -> Outcome.done()).build();
        older.start();
        try {
            try (ConfigurableApplicationContext application = SpringApplication.run(Application.class, arguments)) {
                List<WorkerAvailability> published = application.getBean(Availability.class).published;
                while (published.size() < 2) {
                    spillway.send(ItemBuilder.of("acme").payload("{}".getBytes(StandardCharsets.UTF_8)));
                }
                older.close();
                while (published.getLast() != WorkerAvailability.READY) {
                    Thread.onSpinWait();
                }
                assertThat(published).startsWith(
                        WorkerAvailability.READY, WorkerAvailability.NOT_READY, WorkerAvailability.READY);
            }
        } finally {
            older.close();
        }
    }
}
