package io.spillway.gateway;

import io.spillway.Fuzz;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.StoredKey;
import io.spillway.operator.AdminRole;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Receipts and keys of any text: what was changed is not valid, or means the same. See {@link Fuzz}. */
class CredentialsFuzzTest {
    private static final String ADMIN_KEY = "spa_0123456789abcdef";
    private static final String VIEWER_KEY = "spv_0123456789abcdef";
    private static final Receipts.Receipt RECEIPT = new Receipts.Receipt(12, 3, "spillway.hot-3-123456");
    private static final String[] TEXTS = {"Bearer ", "Basic ", "zoe:", ADMIN_KEY, VIEWER_KEY, "|", ".", "=", "\u00e9"};

    private final Receipts receipts = new Receipts(new byte[] {1, 2, 3}, "worker-1", "");
    private final ApiKey key = ApiKey.make(new SplittableRandom(1));
    private final Callers callers = callers();

    @Test
    void a_changed_receipt_is_forged() {
        String signed = receipts.sign(RECEIPT);
        Fuzz.of("receipts", random -> signed.getBytes(StandardCharsets.ISO_8859_1)).withTexts(TEXTS)
                .check(this::isReceipt);
    }

    @Test
    void only_a_header_with_a_known_key_has_a_known_sender() {
        Fuzz.of("authorization", this::authorization).withTexts(TEXTS).check(this::isKnown);
    }

    private boolean isReceipt(byte[] bytes) {
        if (receipts.check(new String(bytes, StandardCharsets.ISO_8859_1)) instanceof Receipts.Verdict.Valid valid) {
            Fuzz.require(valid.receipt().equals(RECEIPT), "forged", valid);
            return true;
        }
        return false;
    }

    private boolean isKnown(byte[] bytes) {
        String header = new String(bytes, StandardCharsets.ISO_8859_1);
        Caller caller = callers.ofBrowser(List.of(header));
        if (caller instanceof Caller.Unknown) {
            return false;
        }
        String secret = secret(header);
        Fuzz.require(switch (caller) {
            case Caller.Sender sender -> sender.key().tenant().equals("acme") && secret.equals(key.text());
            case Caller.Admin admin -> secret.equals(admin.role() == AdminRole.OPERATOR ? ADMIN_KEY : VIEWER_KEY)
                    && admin.user().length() <= Callers.MAX_USER && admin.user().matches("[ -~]+");
            case Caller.Unknown unknown -> false;
        }, "caller", header, caller);
        Fuzz.require(callers.of(List.of(header, header)) instanceof Caller.Unknown, "repeated", header);
        return true;
    }

    private static String secret(String header) {
        String credentials = header.substring(header.indexOf(' ') + 1).strip();
        if (header.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return credentials;
        }
        String pair = new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
        return pair.substring(pair.indexOf(':') + 1);
    }

    private byte[] authorization(SplittableRandom random) {
        String secret = List.of(key.text(), ADMIN_KEY, VIEWER_KEY).get(random.nextInt(3));
        String header = random.nextBoolean() ? "Bearer " + secret : "Basic " + Base64.getEncoder().encodeToString(
                ((random.nextBoolean() ? "zoe" : "x\u00e9\n".repeat(40)) + ":" + secret)
                        .getBytes(StandardCharsets.UTF_8));
        return header.getBytes(StandardCharsets.ISO_8859_1);
    }

    private Callers callers() {
        ApiKeys keys = new ApiKeys();
        keys.put(key.keyId(), StoredKey.of("acme", key, 1).encode());
        return new Callers(keys, AdminKey.of(ADMIN_KEY), Optional.of(AdminKey.of(VIEWER_KEY)),
                () -> Instant.EPOCH);
    }
}
