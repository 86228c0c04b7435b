package io.spillway.core.item;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EncodedNameTest {
    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({
        "acme, acme", "Acme_1.eu-west:7, Acme_1.eu-west:7", "a b, a%20b", "50%, 50%25", "a%20b, a%2520b", "%41, %2541",
        "é, %C3%A9", "a/b, a%2Fb"
    })
    void what_a_name_may_not_contain_is_percent_encoded(String text, String name) {
        assertThat(EncodedName.of(text)).isEqualTo(name);
    }

    @Test
    void every_text_can_be_read_from_its_name() {
        StringBuilder all = new StringBuilder();
        for (char each = 0; each < 0x250; each++) {
            String text = "x" + each + "y";
            String name = EncodedName.of(text);
            assertThat(ItemLimits.isName(name)).as(name).isTrue();
            // The decoder of forms takes a plus sign for a space.
            assertThat(URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8)).isEqualTo(text);
            all.append(name);
        }
        assertThat(all).doesNotContain(" ");
    }
}
