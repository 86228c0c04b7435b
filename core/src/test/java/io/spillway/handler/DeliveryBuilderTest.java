package io.spillway.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeliveryBuilderTest {
    @Test
    void defaults_describe_the_first_attempt_of_an_empty_item_from_hot() {
        Delivery delivery = DeliveryBuilder.of("acme", "order-17").build();

        assertThat(delivery.tenant()).isEqualTo("acme");
        assertThat(delivery.id()).isEqualTo("order-17");
        assertThat(delivery.workload()).isEmpty();
        assertThat(delivery.enqueuedAt()).isEqualTo(Instant.EPOCH);
        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(delivery.lane()).isEqualTo("hot");
        assertThat(delivery.channel()).isEmpty();
        assertThat(delivery.contentType()).isEqualTo("application/octet-stream");
        assertThat(delivery.attributes()).isEmpty();
        assertThat(delivery.payload()).isEmpty();
        assertThat(delivery.key()).isEqualTo(bytes("acme"));
        assertThat(delivery.value()).isEmpty();
        assertThat(delivery.headers()).isEmpty();
        assertThat(delivery.lease().endsAt()).isEqualTo(Instant.MAX);
        assertThat(delivery.lease().renew(Duration.ofDays(1))).isEqualTo(Instant.MAX);
    }

    @Test
    void the_delivery_has_the_values_that_were_set() {
        Delivery.Lease lease = DeliveryBuilder.of("a", "b").build().lease();
        DeliveryBuilder builder = DeliveryBuilder.of("acme", "order-17").workload("mails").enqueuedAt(Instant.MIN)
                .attempt(2).lane("aged").channel("web").contentType("text/plain").attributes(Map.of("k", "v"))
                .payload(bytes("p")).key(bytes("k")).header("traceparent", "t").header("tracestate", "s").lease(lease);
        Delivery delivery = builder.build();
        builder.header("later", "x");

        assertThat(delivery.workload()).isEqualTo("mails");
        assertThat(delivery.enqueuedAt()).isEqualTo(Instant.MIN);
        assertThat(delivery.attempt()).isEqualTo(2);
        assertThat(delivery.lane()).isEqualTo("aged");
        assertThat(delivery.channel()).isEqualTo("web");
        assertThat(delivery.contentType()).isEqualTo("text/plain");
        assertThat(delivery.attributes()).isEqualTo(Map.of("k", "v"));
        assertThat(delivery.payload()).isEqualTo(bytes("p"));
        assertThat(delivery.value()).isEqualTo(bytes("p"));
        assertThat(delivery.key()).isEqualTo(bytes("k"));
        assertThat(delivery.traceparent()).hasValue("t");
        assertThat(delivery.tracestate()).hasValue("s");
        assertThat(delivery.header("later")).as("later changes of the builder do not affect the delivery").isEmpty();
        assertThat(delivery.lease()).isSameAs(lease);
    }

    @Test
    void the_last_header_of_a_name_counts() {
        Delivery delivery = DeliveryBuilder.of("acme", "1").header("x", "first").header("x", "last").build();
        assertThat(delivery.header("x")).hasValue("last");
        assertThat(delivery.headers()).hasSize(2);
    }

    @Test
    void an_order_key_is_that_of_the_header() {
        assertThat(DeliveryBuilder.of("acme", "1").build().orderKey()).isEmpty();
        assertThat(DeliveryBuilder.of("acme", "1").header("spillway-order-key", "k").build().orderKey()).hasValue("k");
    }

    @Test
    void a_delivery_without_a_key_says_so() {
        Delivery delivery = DeliveryBuilder.of("acme", "1").withoutKey().build();
        assertThat(delivery.hasKey()).isFalse();
        assertThat(delivery.key()).isEmpty();
    }

    @Test
    void a_delivery_of_another_make_has_a_key_if_the_key_has_bytes() {
        assertThat(withKey(0).hasKey()).isFalse();
        assertThat(withKey(1).hasKey()).isTrue();
    }

    @Test
    void a_handler_promises_nothing_by_itself() throws Exception {
        Handler handler = delivery -> Outcome.done();
        assertThat(handler.leavesThreadClean()).isFalse();
        assertThat(handler.destination(withKey(1))).isEmpty();
    }

    private static Delivery withKey(int bytes) {
        return (Delivery) Proxy.newProxyInstance(Delivery.class.getClassLoader(), new Class<?>[] {Delivery.class},
                (proxy, method, args) -> method.isDefault()
                        ? InvocationHandler.invokeDefault(proxy, method, args) : new byte[bytes]);
    }

    @Test
    void null_is_rejected_with_the_name_of_the_field() {
        assertThatThrownBy(() -> DeliveryBuilder.of("acme", null))
                .isInstanceOf(NullPointerException.class).hasMessage("id");
        assertThatThrownBy(() -> DeliveryBuilder.of("acme", "1").payload(null))
                .isInstanceOf(NullPointerException.class).hasMessage("payload");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
