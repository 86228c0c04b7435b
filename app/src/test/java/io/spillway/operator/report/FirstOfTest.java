package io.spillway.operator.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FirstOfTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 5000", "1, 1", "1, 5000", "50, 20", "50, 50", "50, 5000", "3000, 5000", "6000, 5000"})
    void the_first_values_are_those_of_sorting_all(int most, int count) {
        List<Integer> values = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        List<Integer> expected = values.stream().sorted(Comparator.reverseOrder()).limit(most).toList();

        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(values, new Random(seed));
            FirstOf<Integer> first = new FirstOf<>(most, Comparator.reverseOrder());
            values.forEach(first::add);

            assertThat(first.sorted()).isEqualTo(expected);
        }
    }
}
