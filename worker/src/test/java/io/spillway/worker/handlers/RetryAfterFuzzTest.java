package io.spillway.worker.handlers;

import io.spillway.Fuzz;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Headers of a destination's response, of any bytes. See {@link Fuzz}. */
class RetryAfterFuzzTest {
    private static final String[] TEXTS = {
        "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Mon, 23 Nov 2026 10:00:00 GMT", "999999999999999999999", "+999999999"
    };

    @Test
    void a_wait_is_refused_or_within_its_limit() {
        Fuzz.of("Retry-After", random -> (some(random) + "\n" + some(random)).getBytes(StandardCharsets.ISO_8859_1))
                .withTexts(TEXTS).check(this::isWait);
    }

    private static String some(SplittableRandom random) {
        return TEXTS[random.nextInt(TEXTS.length)];
    }

    /** Reads the two headers, in lines. */
    private boolean isWait(byte[] headers) {
        String[] lines = new String(headers, StandardCharsets.ISO_8859_1).split("\n", 2);
        Optional<Duration> wait = RetryAfter.parse(
                lines[0], lines.length == 2 ? Optional.of(lines[1]) : Optional.empty(), Instant.EPOCH);
        wait.ifPresent(each -> Fuzz.require(
                !each.isNegative() && each.compareTo(RetryAfter.LONGEST) <= 0, "wait", each));
        return wait.isPresent();
    }
}
