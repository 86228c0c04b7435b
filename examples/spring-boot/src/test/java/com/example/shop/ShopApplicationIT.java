package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.spring.WorkerLifecycle;
import io.spillway.testing.broker.SpillwayExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The shop as it runs: HTTP in front, a queue with a router on an embedded Kafka behind. */
@Timeout(900) // Against a hang; nothing is measured.
class ShopApplicationIT {
    @RegisterExtension
    final SpillwayExtension spillway = new SpillwayExtension();

    private final HttpClient http = HttpClient.newHttpClient();
    private ConfigurableApplicationContext application;
    private BusyWarehouse warehouse;
    private URI home;

    /** A warehouse that takes as long as the test wants for orders with the id {@code slow}, and then can be closed. */
    static final class BusyWarehouse extends Warehouse implements DisposableBean {
        final CountDownLatch slowRuns = new CountDownLatch(1);
        final CountDownLatch slowMayEnd = new CountDownLatch(1);
        final List<String> whileOpen = new ArrayList<>();
        private boolean closed;

        @Override
        void ship(String customer, String orderId, Order order) throws InterruptedException {
            if (orderId.equals("slow")) {
                slowRuns.countDown();
                slowMayEnd.await();
            }
            synchronized (this) {
                if (!closed) {
                    whileOpen.add(orderId);
                }
            }
        }

        @Override
        public synchronized void destroy() {
            closed = true;
        }

        synchronized boolean isClosed() {
            return closed;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Warehouses {
        @Bean
        @Primary
        BusyWarehouse busyWarehouse() {
            return new BusyWarehouse();
        }
    }

    @BeforeEach
    void start() {
        SpringApplication shop = new SpringApplication(ShopApplication.class, Warehouses.class);
        application = shop.run("--server.port=0", "--spillway.kafka.bootstrap.servers=" + spillway.bootstrapServers(),
                "--spillway.prefix=" + spillway.prefix(), "--spillway.settings.worker.drainGrace=10s");
        home = URI.create("http://localhost:" + application.getEnvironment().getProperty("local.server.port"));
        warehouse = application.getBean(BusyWarehouse.class);
    }

    @AfterEach
    void stop() {
        warehouse.slowMayEnd.countDown();
        application.close();
        http.close();
    }

    @Test
    void orders_are_taken_over_http_and_handled_and_the_worker_drains_before_the_beans_go() throws Exception {
        assertThat(order("acme", "{\"id\":\"o-1\",\"sku\":\"apple\",\"count\":2}")).isEqualTo(202);
        assertThat(order("acme", "{\"id\":\"none\",\"sku\":\"apple\",\"count\":0}")).isEqualTo(202);
        assertThat(order("globex", "{\"id\":\"slow\",\"sku\":\"pear\",\"count\":1}")).isEqualTo(202);
        warehouse.slowRuns.await();
        assertThat(get("/actuator/health")).contains("\"spillway\":{\"status\":\"UP\"}");
        assertThat(get("/actuator/metrics/spillway.handled")).contains("\"queue\"", spillway.prefix());

        Thread closing = Thread.ofPlatform().start(application::close);
        while (application.getBean(WorkerLifecycle.class).health().ready()) {
            Thread.onSpinWait();
        }
        assertThat(warehouse.isClosed()).isFalse();
        warehouse.slowMayEnd.countDown();
        closing.join();

        spillway.awaitDone(3, Duration.ofMinutes(5));
        assertThat(warehouse.whileOpen).containsExactlyInAnyOrder("o-1", "slow");
        assertThat(spillway.done()).isEqualTo(2);
        assertThat(spillway.dead()).as("the order of no pieces").isEqualTo(1);
    }

    /** It has other libraries than this test, which brings a whole Spillway. */
    @Test
    void the_executable_jar_starts_and_takes_orders() throws Exception {
        Process shop = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar",
                System.getProperty("example.jar"), "--server.port=0",
                "--spillway.kafka.bootstrap.servers=" + spillway.bootstrapServers(),
                "--spillway.prefix=" + spillway.prefix(), "--spillway.worker.id=jar").redirectErrorStream(true).start();
        try (BufferedReader out = shop.inputReader()) {
            StringBuilder log = new StringBuilder();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                log.append(line).append('\n');
                if (line.contains("Started ShopApplication")) {
                    break;
                }
            }
            assertThat(log.toString()).contains("Tomcat started", "Started ShopApplication");
            shop.toHandle().destroy();
            out.lines().forEach(line -> { });
            assertThat(shop.waitFor()).as("SIGTERM").isEqualTo(143);
        } finally {
            shop.destroyForcibly();
        }
    }

    private int order(String customer, String json) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(home.resolve("/customers/" + customer + "/orders"))
                .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(json)).build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }

    private String get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(home.resolve(path)).build(), BodyHandlers.ofString()).body();
    }
}
