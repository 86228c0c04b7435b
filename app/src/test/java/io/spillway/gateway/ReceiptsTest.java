package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReceiptsTest {
    private static final byte[] KEY = bytes("the key of both processes");
    private static final Receipts.Receipt RECEIPT = new Receipts.Receipt(7, 2, "spillway.hot-3-41@5");
    private static final Receipts OURS = new Receipts(KEY, "ours", "http://h:1");
    private static final String SIGNED = OURS.sign(RECEIPT);

    @ParameterizedTest
    @MethodSource("texts")
    void a_receipt_is_worth_what_its_signature_says(String what, String text, Receipts.Verdict expected) {
        assertThat(OURS.check(text)).as(what).isEqualTo(expected);
    }

    static Stream<Arguments> texts() {
        Receipts.Verdict valid = new Receipts.Verdict.Valid(RECEIPT);
        Receipts.Verdict other = Receipts.OTHER_PROCESS;
        Receipts.Verdict forged = Receipts.FORGED;
        String[] parts = SIGNED.split("\\.");
        String otherLease = encode("ours|http://h:1|8|2|spillway.hot-3-41@5");
        return Stream.of(
                Arguments.of("as signed", SIGNED, valid),
                Arguments.of("of another process with the key", new Receipts(KEY, "theirs", "").sign(RECEIPT), other),
                Arguments.of("of another process with an address",
                        new Receipts(KEY, "theirs", "http://h:2").sign(RECEIPT),
                        new Receipts.Verdict.Elsewhere("http://h:2")),
                Arguments.of("of an earlier process at this address",
                        new Receipts(KEY, "theirs", "http://h:1").sign(RECEIPT), other),
                Arguments.of(
                        "of a process with another key", new Receipts(bytes("x"), "ours", "").sign(RECEIPT), forged),
                Arguments.of("with another content", otherLease + "." + parts[1], forged),
                Arguments.of("with another signature", parts[0] + "." + encode("0".repeat(32)), forged),
                Arguments.of("without a signature", parts[0], forged),
                Arguments.of("with an empty signature", parts[0] + ".", forged),
                Arguments.of("with a cut signature", SIGNED.substring(0, SIGNED.length() - 4), forged),
                Arguments.of("not base64", "!." + parts[1], forged),
                Arguments.of("empty", "", forged),
                Arguments.of("a dot", ".", forged),
                Arguments.of("endless", SIGNED + "A".repeat(Receipts.MAX_LENGTH), forged));
    }

    @Test
    void a_receipt_names_what_it_is_for() {
        String content = new String(Base64.getUrlDecoder().decode(SIGNED.split("\\.")[0]), StandardCharsets.UTF_8);
        assertThat(content).isEqualTo("ours|http://h:1|7|2|spillway.hot-3-41@5");
    }

    @Test
    void every_changed_character_of_the_content_makes_it_forged() {
        for (int i = 0; i < SIGNED.indexOf('.') - 1; i++) {
            String changed = SIGNED.substring(0, i) + (SIGNED.charAt(i) == 'A' ? 'B' : 'A') + SIGNED.substring(i + 1);
            assertThat(OURS.check(changed)).as("at %d", i).isEqualTo(Receipts.FORGED);
        }
    }

    private static String encode(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
