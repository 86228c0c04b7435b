package io.spillway.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    @ParameterizedTest
    @CsvSource({
        "kitten, kitten", "kiten, kitten", "kkitten, kitten", "kittem, kitten", "iktten, kitten", "sittin, sitting"
    })
    void the_name_with_the_fewest_edits_is_the_nearest(String text, String nearest) {
        assertThat(NearestName.of(text, List.of("mitten", "sitting", "kitten"))).contains(nearest);
    }

    @Test
    void two_swapped_characters_are_one_edit() {
        // Two replacements would make it as far from each of the others.
        assertThat(NearestName.of("ab", List.of("ba", "cd", "a-b-c"))).contains("ba");
        assertThat(NearestName.of("secruity", List.of("secrxyty", "security"))).contains("security");
    }

    @Test
    void of_equally_near_names_it_is_the_first_in_the_alphabet_and_of_none_nothing() {
        assertThat(NearestName.of("x", List.of("c", "b"))).contains("b");
        assertThat(NearestName.of("x", List.of())).isEmpty();
    }
}
