package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.item.Lane;
import io.spillway.embed.SpillwayWorker;
import io.spillway.embed.WorkerHealth;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.tracing.RecordedSpans;
import io.spillway.worker.WorkerException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Workers that an application embeds, on queues with a router. */
@Timeout(900) // Against a hang; nothing is measured.
class EmbeddedWorkerIT {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(package com\\.example;.*?)```", Pattern.DOTALL);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    /** The application's own. */
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private SpillwayWorker first;
    private SpillwayWorker second;

    @AfterEach
    void close() {
        for (SpillwayWorker worker : new SpillwayWorker[] {first, second}) {
            if (worker != null) {
                worker.close();
            }
        }
    }

    @Test
    void workers_of_two_queues_in_one_jvm_handle_their_own_items_and_share_a_registry() throws Exception {
        try (DeliveryScene orders = scene("orders", Map.of()); DeliveryScene mails = scene("mails", Map.of())) {
            Set<String> ordered = ConcurrentHashMap.newKeySet();
            Set<String> mailed = ConcurrentHashMap.newKeySet();
            first = worker("orders", collecting(ordered));
            second = worker("mails", collecting(mailed));
            first.start();
            second.start();

            Set<String> orderIds = Set.copyOf(orders.send("order", 40, i -> "{}"));
            Set<String> mailIds = Set.copyOf(mails.send("mail", 20, i -> "{}"));
            orders.awaitRouted();
            mails.awaitRouted();
            orders.awaitEmpty();
            mails.awaitEmpty();

            assertThat(ordered).isEqualTo(orderIds);
            assertThat(mailed).isEqualTo(mailIds);
            assertThat(first.health()).isEqualTo(new WorkerHealth(true, ""));
            assertThat(handled("orders")).isEqualTo(40);
            assertThat(handled("mails")).isEqualTo(20);

            first.close();
            assertThat(registry.getMeters()).extracting(meter -> meter.getId().getTag("queue"))
                    .as("the meters that remain").containsOnly(prefix("mails"));
            second.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(registry.isClosed()).as("the registry of the application").isFalse();
        }
    }

    @Test
    void a_worker_makes_spans_with_the_sdk_of_its_application_and_none_without() throws Exception {
        try (RecordedSpans spans = new RecordedSpans();
                DeliveryScene orders = scene("traced", Map.of()); DeliveryScene mails = scene("untraced", Map.of())) {
            Set<String> untraced = ConcurrentHashMap.newKeySet();
            first = builder("traced", delivery -> Outcome.done()).openTelemetry(spans.telemetry()).build();
            second = worker("untraced", delivery -> {
                untraced.add(delivery.traceparent().orElse("none"));
                return Outcome.done();
            });
            first.start();
            second.start();
            orders.send("order", 5, i -> "{}");
            mails.send("mail", 3, i -> "{}");
            orders.awaitRouted();
            mails.awaitRouted();
            orders.awaitEmpty();
            mails.awaitEmpty();

            assertThat(spans.ended()).extracting(span -> RecordedSpans.attributes(span).get("messaging.message.id"))
                    .containsExactlyInAnyOrder("order-0", "order-1", "order-2", "order-3", "order-4");
            assertThat(untraced).containsExactly("none");
        }
    }

    @Test
    void a_close_waits_for_running_calls_and_what_they_finished_is_not_handled_again() throws Exception {
        // With the trail, so that the worker finds out by itself that the queue keeps one.
        try (DeliveryScene scene = scene("drain", Map.of("SPILLWAY_TOPICS_TRAIL", "1h"))) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            first = worker("drain", delivery -> {
                running.countDown();
                mayEnd.await();
                return Outcome.done();
            });
            first.start();
            scene.send("slow", 1, i -> "{}");
            running.await();

            Thread closing = Thread.ofPlatform().start(first::close);
            while (first.health().ready()) {
                Thread.onSpinWait();
            }
            assertThat(first.health().reason()).isEqualTo("The worker is closed.");
            assertThat(closing.isAlive()).isTrue();
            mayEnd.countDown();
            closing.join();
            first.awaitEnd();

            assertThat(scene.isEmpty()).as("the call that ended within the grace is committed").isTrue();
            assertThat(kafka.readAll(scene.topics.trail())).hasSize(1);
        }
    }

    @Test
    void the_example_in_the_page_on_embedding_compiles_and_handles_items() throws Exception {
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("..", "docs", "embedding.md")));
        assertThat(example.find()).isTrue();
        Path source = Files.writeString(directory.resolve("Orders.java"), example.group(1));
        Path classes = Files.createDirectories(directory.resolve("classes"));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(
                                null, null, null, "-Xlint:all", "-proc:none", "-cp",
                                System.getProperty("java.class.path"), "-d", classes.toString(), source.toString()))
                .isZero();
        try (DeliveryScene scene = scene("page", Map.of());
                URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            first = (SpillwayWorker) loader.loadClass("com.example.Orders")
                    .getMethod("start", String.class, String.class, MeterRegistry.class)
                    .invoke(null, kafka.bootstrapServers(), prefix("page"), registry);

            scene.send("order", 3, i -> i == 2 ? "" : "{}");
            scene.awaitRouted();
            scene.awaitEmpty();

            assertThat(handled("page")).isEqualTo(3);
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).hasSize(1);
        }
    }

    @Test
    void of_two_workers_with_one_id_one_ends_says_so_and_starts_again_when_the_other_is_closed() throws Exception {
        try (DeliveryScene scene = scene("twins", Map.of())) {
            SimpleMeterRegistry own = new SimpleMeterRegistry();
            CountDownLatch withoutSlots = new CountDownLatch(1);
            own.config().onMeterRemoved(meter -> {
                if (meter.getId().getName().equals("spillway.slots")) {
                    withoutSlots.countDown();
                }
            });
            Set<String> handled = ConcurrentHashMap.newKeySet();
            AtomicInteger closes = new AtomicInteger();
            Handler handler = new Handler() {
                @Override
                public Outcome handle(Delivery delivery) {
                    handled.add(delivery.id());
                    return Outcome.done();
                }

                @Override
                public void close() {
                    closes.incrementAndGet();
                }
            };
            first = worker("twins", collecting(ConcurrentHashMap.newKeySet()));
            second = builder("twins", handler).meterRegistry(own).build();
            first.start();
            second.start();
            String reason = "";
            while (!reason.contains("is worker")) {
                scene.send("order", 1, i -> "{}"); // Each fences the transactions of the other.
                reason = second.health().reason();
            }
            assertThat(reason)
                    .startsWith("The worker ended after a failure, and starts again by itself: Another process at");
            withoutSlots.await(); // A worker that has ended is not counted.
            assertThat(first.health().ready()).isTrue();

            first.close();
            while (!second.health().ready()) {
                Thread.onSpinWait();
            }
            scene.send("later", 1, i -> "{}");
            while (!handled.contains("later-0")) {
                Thread.onSpinWait();
            }
            assertThat(own.find("spillway.slots").gauges()).isNotEmpty();
            assertThat(closes).hasValue(0);
            second.close();
            assertThat(closes).hasValue(1);
            assertThat(own.getMeters()).isEmpty();
        }
    }

    @Test
    void a_prefix_without_a_queue_is_refused_with_the_command_that_creates_one() {
        first = worker("nothing", collecting(ConcurrentHashMap.newKeySet()));

        assertThatThrownBy(first::start).isInstanceOf(WorkerException.class)
                .hasMessageContaining("has no queue with the prefix " + prefix("nothing"))
                .hasMessageEndingWith("spillway topics create --bootstrap-servers " + kafka.bootstrapServers()
                        + " --prefix " + prefix("nothing"));
    }

    private DeliveryScene scene(String name, Map<String, String> more) {
        return new DeliveryScene(kafka.bootstrapServers(), prefix(name), directory.resolve(name), more).withRouter();
    }

    private SpillwayWorker worker(String name, Handler handler) {
        return builder(name, handler).build();
    }

    private SpillwayWorker.Builder builder(String name, Handler handler) {
        return SpillwayWorker.builder()
                .kafka(Map.of("bootstrap.servers", kafka.bootstrapServers()))
                .prefix(prefix(name))
                .handler(handler)
                .slots(10)
                .meterRegistry(registry);
    }

    private static Handler collecting(Set<String> ids) {
        return delivery -> {
            ids.add(delivery.id());
            return Outcome.done();
        };
    }

    private double handled(String name) {
        return registry.find("spillway.handled").tag("queue", prefix(name)).counters().stream()
                .mapToDouble(counter -> counter.count()).sum();
    }

    private String prefix(String name) {
        return kafka.prefix() + "-" + name;
    }
}
