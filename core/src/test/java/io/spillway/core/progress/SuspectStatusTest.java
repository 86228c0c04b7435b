package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SuspectStatusTest {
    @Test
    void a_status_names_at_most_1000_convicted_tenants() {
        assertThat(new SuspectStatus(0, 0, convicted(1_000)).convictedAtMillis()).hasSize(1_000);
        assertThatIllegalArgumentException().isThrownBy(() -> new SuspectStatus(0, 0, convicted(1_001)))
                .withMessage("1001 convicted tenants: must be at most 1000");
    }

    private static Map<String, Long> convicted(int tenants) {
        return IntStream.range(0, tenants).boxed().collect(Collectors.toMap(i -> "tenant-" + i, i -> 1_000L + i));
    }
}
