package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Duration;
import io.spillway.handler.DeliveryBuilder;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads of Protocol Buffers, with a message that the library brings: 5 seconds are {@code 0805}. */
class ProtobufPayloadsTest {
    private final ProtobufPayloads payloads = new ProtobufPayloads();

    @ParameterizedTest
    @ValueSource(strings = {"0805", "0000000001000805", "000000000104020c0805"})
    void a_message_is_read_with_and_without_the_id_of_a_schema(String payload) throws IOException {
        assertThat(payloads.reads(Duration.class)).isTrue();
        assertThat(payloads.reads(String.class)).isFalse();
        assertThat(read(payload)).isEqualTo(Duration.newBuilder().setSeconds(5).build());
    }

    @Test
    void bytes_that_are_no_message_are_refused() {
        assertThatThrownBy(() -> read("08")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read("0000")).isInstanceOf(IOException.class);
    }

    private Object read(String payload) throws IOException {
        return payloads.read(DeliveryBuilder.of("acme", "o-1").payload(HexFormat.of().parseHex(payload)).build(),
                Duration.class);
    }
}
