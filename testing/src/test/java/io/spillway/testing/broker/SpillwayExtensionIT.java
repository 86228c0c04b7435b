package io.spillway.testing.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.spillway.embed.SpillwayWorker;
import io.spillway.handler.Outcome;
import io.spillway.producer.ItemBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testcontainers.DockerClientFactory;

@Timeout(900) // Against a hang; nothing is measured.
class SpillwayExtensionIT {
    @RegisterExtension
    final SpillwayExtension spillway = new SpillwayExtension().with("defaults.backoffBase", "100ms");

    @Test
    void a_test_sends_items_and_waits_until_a_worker_has_finished_them_with_their_retries() {
        try (SpillwayWorker worker = SpillwayWorker.builder()
                .kafka(Map.of("bootstrap.servers", spillway.bootstrapServers()))
                .prefix(spillway.prefix())
                .settings(Map.of("defaults.backoffBase", "100ms"))
                .handler(delivery -> delivery.id().equals("bad") ? Outcome.dead("no such user")
                        : delivery.attempt() == 1 ? Outcome.retry("busy") : Outcome.done())
                .build()) {
            worker.start();
            for (int i = 0; i < 10; i++) {
                spillway.send(ItemBuilder.of("acme").id("m-" + i));
            }
            spillway.send(ItemBuilder.of("acme").id("bad"));

            spillway.awaitDone(Duration.ofMinutes(5));

            assertThat(spillway.done()).isEqualTo(10);
            assertThat(spillway.dead()).isEqualTo(1);
        }
    }

    @Test
    void the_broker_is_in_a_container_if_a_parameter_as_in_the_page_on_embedding_names_its_image() throws Exception {
        String image = System.getProperty(SpillwayExtension.CONTAINER, "");
        assumeFalse(image.isEmpty(), "no image: the tests run on the embedded broker");

        int port = Integer.parseInt(spillway.bootstrapServers().replaceFirst(".*:", ""));
        assertThat(DockerClientFactory.lazyClient().listContainersCmd().exec())
                .filteredOn(container -> Arrays.stream(container.getPorts())
                        .anyMatch(mapped -> Integer.valueOf(port).equals(mapped.getPublicPort())))
                .singleElement().satisfies(container -> assertThat(container.getImage()).isEqualTo(image));
        assertThat(Path.of("../docs/embedding.md")).content()
                .contains("\n  " + SpillwayExtension.CONTAINER + "=" + image.split(":")[0] + ":");
    }

    @Test
    void without_a_worker_the_wait_ends_with_what_waits() {
        spillway.send(ItemBuilder.of("acme").id("m-1"));

        AssertionError unfinished;
        do {
            unfinished = catchThrowableOfType(
                    AssertionError.class, () -> spillway.awaitDone(Duration.ofSeconds(1)));
        } while (unfinished.getMessage().contains("hot 0"));
        assertThat(unfinished).hasMessageContaining("1 of 1 items").hasMessageContaining("hot 1")
                .hasMessageContaining("worker");
        assertThat(spillway.ingress()).isEqualTo(spillway.prefix() + ".ingress");
    }
}
