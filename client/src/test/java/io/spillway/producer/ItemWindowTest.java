package io.spillway.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.schedule.DeliveryWindow;
import io.spillway.kafka.codec.ItemHeaders;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Windows of time that the builder spreads items over. */
class ItemWindowTest {
    private static final Instant CREATED_AT = Instant.ofEpochMilli(1_795_000_000_123L);

    @Test
    void a_time_and_its_window_are_together_at_most_14_days_ahead() {
        Instant time = CREATED_AT.plus(Duration.ofDays(10));
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT)
                .deliverAt(time, CREATED_AT).deliverWithin(Duration.ofDays(4));
        assertThat(ItemHeaders.number(builder.toRecord("in").headers(), ItemHeaders.DELIVER_AT).orElseThrow())
                .isBetween(time.toEpochMilli(), CREATED_AT.plus(Duration.ofDays(14)).toEpochMilli());

        builder.deliverWithin(Duration.ofDays(4).plusMillis(1));
        assertThatThrownBy(() -> builder.toRecord("in")).isInstanceOf(IllegalStateException.class)
                .hasMessage("deliverAt = " + time + " with deliverWithin = PT96H0.001S ends too late. Allowed: 14 days"
                        + " ahead of now");
        assertThatThrownBy(() -> builder.channel("c").toRecord("in")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_window_spreads_items_from_their_time_or_creation_and_an_item_keeps_its_place() {
        Duration window = Duration.ofMinutes(5);
        long created = CREATED_AT.toEpochMilli();
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT).deliverWithin(window);
        long place = DeliveryWindow.offsetMillis("acme", "1", 300_000);
        assertThat(ItemHeaders.number(builder.toRecord("in").headers(), ItemHeaders.DELIVER_AT))
                .hasValue(created + place);
        builder.deliverAt(CREATED_AT.plusSeconds(60), CREATED_AT);
        assertThat(ItemHeaders.number(builder.channel("c").toRecord("in").headers(), ItemHeaders.DELIVER_AT))
                .hasValue(created + 60_000 + place);

        assertThatThrownBy(() -> ItemBuilder.of("acme").enqueuedAt(CREATED_AT).deliverWithin(window).toRecord("in"))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("has no id");
        assertThatThrownBy(() -> ItemBuilder.of("acme").id("1").deliverWithin(window).toRecord("in"))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("has no time");
        assertThatThrownBy(() -> builder.deliverWithin(Duration.ofDays(14).plusMillis(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("deliverWithin = PT336H0.001S. Allowed: 0 to 14 days");
    }
}
