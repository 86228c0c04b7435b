package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LongTestShareTest {
    @Test
    void each_class_is_in_one_share_and_in_every_one_without_shares() {
        IntStream.range(0, 100).mapToObj(i -> "io.spillway.Some" + i + "IT").forEach(name -> {
            assertThat(IntStream.range(0, 3).filter(share -> LongTestShare.isIn(share + "/3", name))).hasSize(1);
            assertThat(LongTestShare.isIn("", name)).isTrue();
        });
    }
}
