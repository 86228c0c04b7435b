package io.spillway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiverKeysTest {
    /** The example of the specification. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @TempDir
    private Path directory;

    private long nowMillis = 1_000_000;
    private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);

    @Test
    void the_example_of_the_standard_webhooks_specification_has_its_signature() throws IOException {
        Files.writeString(directory.resolve("acme"), SECRET + "\n");

        assertThat(sign(keys())).isEqualTo(SIGNATURE);
    }

    @Test
    void while_secrets_rotate_there_is_a_signature_by_each_and_a_file_is_read_again() throws IOException {
        ReceiverKeys keys = keys();
        Files.writeString(directory.resolve("acme"), OTHER);
        assertThat(sign(keys)).doesNotContain(SIGNATURE);

        Files.writeString(directory.resolve("acme"), "\n" + SECRET + "\r\n\n" + OTHER + "\n");
        nowMillis += 1_000;

        assertThat(sign(keys)).startsWith(SIGNATURE + " v1,").hasSize(2 * SIGNATURE.length() + 1);
    }

    @Test
    void a_line_can_be_a_header_of_the_receiver_beside_secrets_or_alone() throws IOException {
        Files.writeString(directory.resolve("acme"), "Authorization: Bearer abc \nX-Env:\n");
        assertThat(headers(keys())).containsExactly(Map.entry("Authorization", "Bearer abc"), Map.entry("X-Env", ""));

        Files.writeString(directory.resolve("acme"), "X-Env: a\n" + SECRET);
        assertThat(headers(keys()))
                .containsExactly(Map.entry("X-Env", "a"), Map.entry("webhook-signature", SIGNATURE));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "\n", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64!",
        SECRET + "\nx", SECRET + "\nwebhook-id: 1", "Content-Length: 1", "Host: a", "a b: c", "a: \u00e4", ": b",
        "X-Env: MfKQ\nx-env: 2", "oauth2 ftp://a/ b MfKQ", "oauth2 https://a/ b",
        "oauth2 https://a/ b c\nAuthorization: x",
        "oauth2 https://a/ b MfKQ\noauth2 https://a/ b MfKQ", "oauth2 https://{/ b c",
        "-----BEGIN CERTIFICATE-----\nMfKQ\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nMfKQ\n-----END PRIVATE KEY-----",
    })
    void a_wrong_file_is_an_error_that_names_it_and_shows_nothing_of_it(String content) throws IOException {
        Files.writeString(directory.resolve("acme"), content);

        assertThatThrownBy(() -> sign(keys())).isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("signingKey = acme: must be a file in handler.webhook.keys")
                .hasMessageNotContaining("MfKQ").hasMessageNotContaining("c2hv");
    }

    @Test
    void a_name_never_leads_out_of_the_directory() throws IOException {
        Files.writeString(directory.resolve("secret"), SECRET);
        ReceiverKeys keys = new ReceiverKeys(Files.createDirectory(directory.resolve("keys")), clock);

        assertThatThrownBy(() -> keys.of("../secret"))
                .isInstanceOf(InvalidSettingException.class);
    }

    private ReceiverKeys keys() {
        return new ReceiverKeys(directory, clock);
    }

    private static String sign(ReceiverKeys keys) {
        return headers(keys).get("webhook-signature");
    }

    private static Map<String, String> headers(ReceiverKeys keys) {
        try {
            return keys.of("acme").headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
                    "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
