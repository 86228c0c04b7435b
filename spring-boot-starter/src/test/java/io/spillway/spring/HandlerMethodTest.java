package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Outcome;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class HandlerMethodTest {
    private static final JsonMapper JSON = new JsonMapper();

    record Order(String sku, int count) {}

    /** The application's own: lines end with a semicolon. */
    static final class Lines implements PayloadConverter {
        @Override
        public boolean reads(Type type) {
            return type instanceof ParameterizedType generic && generic.getRawType() == Stream.class;
        }

        @Override
        public Object read(Delivery delivery, Type type) throws IOException {
            String text = new String(delivery.payload(), StandardCharsets.UTF_8);
            if (text.startsWith("{")) {
                throw new IOException("not lines");
            }
            return Stream.of(text.split(";"));
        }
    }

    /** Methods under test; what each received is its outcome's detail. */
    @SuppressWarnings("unused")
    static final class Bean {
        Outcome json(Order order) {
            return Outcome.retry(order.sku() + " " + order.count());
        }

        Outcome jsonList(List<Order> orders) {
            return Outcome.retry(orders.getLast().sku());
        }

        Outcome text(String text) {
            return Outcome.retry(text);
        }

        Outcome bytes(byte[] bytes) {
            return Outcome.retry(new String(bytes, StandardCharsets.UTF_8));
        }

        Outcome lines(Stream<String> lines) {
            return Outcome.retry(lines.collect(Collectors.joining("+")));
        }

        Outcome both(Delivery delivery, String text) {
            return Outcome.retry(delivery.id() + " " + text);
        }

        Outcome avro(WorkItem item) {
            return Outcome.retry(item.getId());
        }

        void nothing(Delivery delivery) {}

        void fails(Delivery delivery) throws IOException {
            throw new IOException("busy");
        }

        int wrongResult(Delivery delivery) {
            return 1;
        }

        void noParameter() {}

        void twoPayloads(String first, String second) {}

        List<Outcome> many(List<Order> orders, List<Delivery> deliveries) {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < orders.size(); i++) {
                outcomes.add(Outcome.retry(deliveries.get(i).id() + " " + orders.get(i).sku()));
            }
            return outcomes;
        }

        void manyDone(List<String> texts) {}

        List<Outcome> tooFew(List<Delivery> deliveries) {
            return List.of();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            json     | {"sku":"a","count":2}                         | a 2
            jsonList | [{"sku":"a","count":1},{"sku":"b","count":2}] | b
            text     | hello                                         | hello
            bytes    | hello                                         | hello
            lines    | a;b                                           | a+b
            both     | hello                                         | m-1 hello
            """)
    void a_parameter_gets_the_payload_in_its_type(String method, String payload, String received) throws Exception {
        assertThat(call(method, payload.getBytes(StandardCharsets.UTF_8))).isEqualTo(Outcome.retry(received));
    }

    @Test
    void a_class_generated_by_avro_gets_the_decoded_record() throws Exception {
        WorkItem item = new WorkItem("acme", "inner", Instant.EPOCH, "", null, "text/plain", Map.of(),
                ByteBuffer.wrap(new byte[0]));
        ByteBuffer encoded = WorkItem.getEncoder().encode(item);
        byte[] payload = new byte[encoded.remaining()];
        encoded.get(payload);

        assertThat(call("avro", payload)).isEqualTo(Outcome.retry("inner"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "avro", "lines"})
    void a_payload_that_cannot_be_read_is_a_dead_letter(String method) throws Exception {
        assertThat(call(method, new byte[] {'{'})).isInstanceOfSatisfying(Outcome.Dead.class,
                dead -> assertThat(dead.reason()).startsWith("The payload cannot be read: "));
    }

    @Test
    void a_method_that_returns_nothing_is_done_and_its_exception_is_thrown_on() throws Exception {
        assertThat(call("nothing", new byte[0])).isEqualTo(Outcome.done());
        assertThatThrownBy(() -> call("fails", new byte[0])).isInstanceOf(IOException.class).hasMessage("busy");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            wrongResult | must return void or Outcome
            noParameter | must have a payload, a Delivery, or one of each
            twoPayloads | must have a payload, a Delivery, or one of each
            """)
    void a_method_that_cannot_be_a_handler_is_refused(String method, String rule) {
        assertThatThrownBy(() -> call(method, new byte[0]))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining(method).hasMessageContaining(rule);
    }

    @Test
    void a_method_for_many_gets_lists_and_returns_an_outcome_for_each_item_that_can_be_read() throws Exception {
        List<Outcome> outcomes = callAll("many", "{\"sku\":\"a\",\"count\":1}", "{", "{\"sku\":\"b\",\"count\":2}");
        assertThat(outcomes.get(0)).isEqualTo(Outcome.retry("m-0 a"));
        assertThat(outcomes.get(1)).isInstanceOf(Outcome.Dead.class);
        assertThat(outcomes.get(2)).isEqualTo(Outcome.retry("m-2 b"));
        assertThat(callAll("manyDone", "a", "b")).containsExactly(Outcome.done(), Outcome.done());
    }

    @Test
    void a_method_for_many_that_returns_too_few_outcomes_has_failed() {
        assertThatThrownBy(() -> callAll("tooFew", "a", "b"))
                .hasMessageContaining("tooFew").hasMessageContaining("returned 0 outcomes for 2 items");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            text    | 2    | must return void or List<Outcome>
            nothing | 2    | must have lists as parameters
            many    | 1001 | must have a maxItems from 1 to 1000
            many    | 0    | must have a maxItems from 1 to 1000
            """)
    void a_method_for_many_must_have_lists(String method, int maxItems, String rule) {
        assertThatThrownBy(() -> forMany(method, maxItems))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining(method).hasMessageContaining(rule);
    }

    private static Outcome call(String name, byte[] payload) throws Exception {
        Method method = Arrays.stream(Bean.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
        return new HandlerMethod(new Bean(), method, "", 1, List.of(new Lines()), JSON)
                .call(DeliveryBuilder.of("acme", "m-1").payload(payload).build());
    }

    private static HandlerMethod forMany(String name, int maxItems) {
        Method method = Arrays.stream(Bean.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(name)).findFirst().orElseThrow();
        return new HandlerMethod(new Bean(), method, "", maxItems, List.of(), JSON);
    }

    private static List<Outcome> callAll(String name, String... payloads) throws Exception {
        List<Delivery> deliveries = new ArrayList<>();
        for (String payload : payloads) {
            deliveries.add(DeliveryBuilder.of("acme", "m-" + deliveries.size())
                    .payload(payload.getBytes(StandardCharsets.UTF_8)).build());
        }
        return forMany(name, 10).callAll(deliveries);
    }
}
