package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import io.spillway.producer.ItemBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

class SpillwayAutoConfigurationTest {
    private static final String IN_FLIGHT = "max.in.flight.requests.per.connection";

    private final ApplicationContextRunner plain = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(JacksonAutoConfiguration.class, SpillwayAutoConfiguration.class));
    private final ApplicationContextRunner configured =
            plain.withPropertyValues("spillway.kafka.bootstrap.servers=127.0.0.1:1");

    static final class TwoOfOneWorkload {
        @SpillwayHandler(workload = "mail")
        void first(String text) {}

        @SpillwayHandler(workload = "mail")
        void second(String text) {}
    }

    static final class OneHandler {
        @SpillwayHandler
        void handle(String text) {}
    }

    @Test
    void without_an_address_there_are_no_beans() {
        plain.run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(SpillwayTemplate.class).doesNotHaveBean(WorkerLifecycle.class));
    }

    @Test
    void without_a_handler_there_is_a_template_and_no_worker_connects() {
        configured.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(SpillwayTemplate.class);
            assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isTrue();
            assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void a_worker_that_is_not_enabled_is_no_bean_and_has_no_health() {
        configured.withPropertyValues("spillway.worker.enabled=false").withBean(OneHandler.class)
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(SpillwayTemplate.class)
                        .doesNotHaveBean(WorkerLifecycle.class).doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void without_actuator_there_is_no_health_indicator() {
        configured.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(WorkerLifecycle.class)
                        .doesNotHaveBean("spillwayHealthIndicator"));
    }

    @Test
    void two_handlers_of_one_workload_fail_the_start() {
        configured.withBean(TwoOfOneWorkload.class).run(context -> assertThat(context.getStartupFailure())
                .rootCause().hasMessageContaining("Two methods").hasMessageContaining("'mail'"));
    }

    /** One destination from a property, one that is written down, and none. */
    static final class Destinations {
        @SpillwayHandler(workload = "mail", destination = "${mail.host}:25")
        void mail(String text) {}

        @SpillwayHandler(workload = "sms", destination = "sms")
        void sms(String text) {}

        @SpillwayHandler
        void others(String text) {}
    }

    @Test
    void a_method_names_the_destination_of_its_items() {
        configured.withPropertyValues("spillway.worker.enabled=false", "mail.host=mx").withBean(Destinations.class)
                .run(context -> {
                    HandlerMethods methods = HandlerMethods.of(context.getBeanFactory(), new JsonMapper());
                    assertThat(Stream.of("mail", "sms", "else").map(workload -> methods.destination(
                            DeliveryBuilder.of("acme", "1").workload(workload).build())))
                            .containsExactly("mx:25", "sms", "");
                });
    }

    @Test
    void a_selector_chooses_the_method_in_place_of_the_workload() {
        HandlerSelector byType = delivery -> delivery.header("type").orElse("");
        configured.withPropertyValues("spillway.worker.enabled=false", "mail.host=mx").withBean(Destinations.class)
                .withBean(HandlerSelector.class, () -> byType)
                .run(context -> {
                    HandlerMethods methods = HandlerMethods.of(context.getBeanFactory(), new JsonMapper());
                    assertThat(methods.destination(DeliveryBuilder.of("acme", "1").workload("mail")
                            .header("type", "sms").build())).isEqualTo("sms");
                    assertThat(methods.destination(DeliveryBuilder.of("acme", "1").workload("mail").build()))
                            .isEmpty();
                });
    }

    @Test
    void a_method_with_max_items_gets_the_items_of_its_workload_at_once_and_no_selector_may_mix_them() {
        configured.withPropertyValues("spillway.worker.enabled=false").withBean(Many.class).run(context -> {
            HandlerMethods methods = HandlerMethods.of(context.getBeanFactory(), new JsonMapper());
            assertThat(methods.maxItems("rows")).isEqualTo(50);
            assertThat(methods.maxItems("other")).isEqualTo(1);
            Delivery row = DeliveryBuilder.of("acme", "1").workload("rows").build();
            assertThat(methods.handleAll(List.of(row, row))).containsExactly(Outcome.dead("2"), Outcome.dead("2"));
            assertThat(methods.handle(row)).isEqualTo(Outcome.dead("1"));
        });
        configured.withPropertyValues("spillway.worker.enabled=false").withBean(Many.class)
                .withBean(HandlerSelector.class, () -> delivery -> "rows")
                .run(context -> assertThatThrownBy(
                        () -> HandlerMethods.of(context.getBeanFactory(), new JsonMapper()))
                        .hasMessageContaining("maxItems"));
    }

    static final class Many {
        @SpillwayHandler(workload = "rows", maxItems = 50)
        List<Outcome> rows(List<Delivery> rows) {
            return Collections.nCopies(rows.size(), Outcome.dead(Integer.toString(rows.size())));
        }
    }

    @Test
    void properties_that_are_not_allowed_fail_the_start_with_what_is() {
        configured.withPropertyValues("spillway.kafka.acks=1").run(context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("must be all"));
        configured.withBean(OneHandler.class).withPropertyValues("spillway.settings.worker.slot=5").run(context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("worker.slot = 5"));
        configured.withBean(OneHandler.class).withPropertyValues("spillway.worker.slots=0").run(context ->
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("must be 1 to 100000"));
    }

    @Test
    void a_broker_that_cannot_be_reached_fails_the_start_with_its_address() {
        configured.withBean(OneHandler.class)
                .withPropertyValues(
                        "spillway.kafka.default.api.timeout.ms=1000", "spillway.kafka.request.timeout.ms=1000")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("nothing listens on 127.0.0.1:1"));
    }

    /** Knows how many requests the last producer may have in flight. */
    public static final class InFlight implements MetricsReporter {
        private static final AtomicReference<Object> OF_LAST = new AtomicReference<>();

        @Override
        public void configure(Map<String, ?> configs) {
            OF_LAST.set(configs.get(IN_FLIGHT));
        }

        @Override
        public void init(List<KafkaMetric> metrics) {}

        @Override
        public void metricChange(KafkaMetric metric) {}

        @Override
        public void metricRemoval(KafkaMetric metric) {}

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @CsvSource({"other, 1", "spillway.kafka.max.in.flight.requests.per.connection, 3"})
    void a_template_has_one_request_in_flight_unless_the_application_wants_more(String property, String then) {
        configured.withPropertyValues("spillway.kafka.metric.reporters=" + InFlight.class.getName(),
                        "spillway.kafka.max.block.ms=1", property + "=" + then)
                .run(context -> {
                    assertThat(context.getBean(SpillwayTemplate.class).send(ItemBuilder.of("acme")))
                            .as("without a broker").isCompletedExceptionally();
                    assertThat(InFlight.OF_LAST.get()).hasToString(then);
                });
    }

    @Test
    void editors_get_the_properties_with_their_descriptions() throws IOException {
        String metadata = Files.readString(
                Path.of("target", "classes", "META-INF", "spring-configuration-metadata.json"));

        assertThat(metadata).contains("spillway.kafka", "spillway.prefix", "spillway.settings",
                "spillway.worker.enabled", "spillway.worker.id", "spillway.worker.slots",
                "Maximum number of handler calls that run at the same time.");
    }
}
