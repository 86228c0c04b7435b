package io.spillway.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    private static final Duration WAIT = Duration.ofSeconds(7);

    @Test
    void an_unavailable_destination_has_a_cause_and_asks_for_a_wait_or_none() {
        assertThat(Outcome.unavailable("503")).isEqualTo(new Outcome.Unavailable(Optional.empty(), "503"));
        assertThat(Outcome.unavailable(WAIT, "503")).isEqualTo(new Outcome.Unavailable(Optional.of(WAIT), "503"));
        assertThat(Outcome.unavailable(Optional.of(WAIT), "503")).isEqualTo(Outcome.unavailable(WAIT, "503"));
        assertThat(Outcome.unavailable(Optional.empty(), "503")).isEqualTo(Outcome.unavailable("503"));
    }

    @Test
    void an_item_is_put_off_for_a_time() {
        assertThat(Outcome.later(WAIT)).isEqualTo(new Outcome.Later(WAIT));
    }

    @Test
    void no_argument_may_be_null() {
        assertThatThrownBy(() -> Outcome.later(null)).isInstanceOf(NullPointerException.class).hasMessage("after");
        assertThatThrownBy(() -> Outcome.unavailable((String) null)).hasMessage("detail");
        assertThatThrownBy(() -> Outcome.unavailable((Optional<Duration>) null, "503")).hasMessage("after");
        assertThatThrownBy(() -> Outcome.unavailable((Duration) null, "503")).isInstanceOf(NullPointerException.class);
    }

    @Test
    void a_handler_has_one_destination_unless_it_names_others() throws Exception {
        Handler one = delivery -> Outcome.done();
        Handler byTenant = new Handler() {
            @Override
            public Outcome handle(Delivery delivery) {
                return Outcome.done();
            }

            @Override
            public String destination(Delivery delivery) {
                return delivery.tenant() + ".example.org";
            }
        };

        Delivery delivery = DeliveryBuilder.of("acme", "order-17").build();
        assertThat(one.destination(delivery)).isEmpty();
        assertThat(byTenant.destination(delivery)).isEqualTo("acme.example.org");
    }
}
