package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.campaign.Namespaces.Cut;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamespacesTest {
    private static final List<String> BROKERS = List.of("b1", "b2", "b3");
    private static final List<String> CLIENTS = List.of("router", "worker");

    @Test
    void an_isolated_broker_hears_nobody_and_is_heard_by_nobody() {
        assertThat(cuts(Fault.ISOLATE_BROKER, 4)).containsExactlyInAnyOrder(
                new Cut("b2", "b1"), new Cut("b1", "b2"), new Cut("b2", "b3"), new Cut("b3", "b2"),
                new Cut("b2", "router"), new Cut("router", "b2"), new Cut("b2", "worker"), new Cut("worker", "b2"));
    }

    @Test
    void each_other_way_cuts_what_its_name_says() {
        assertThat(cuts(Fault.PART_TWO_BROKERS, 0)).containsExactlyInAnyOrder(
                new Cut("b2", "b3"), new Cut("b3", "b2"));
        assertThat(cuts(Fault.CUT_BROKER_FROM_BROKERS, 0)).containsExactlyInAnyOrder(
                new Cut("b1", "b2"), new Cut("b2", "b1"), new Cut("b1", "b3"), new Cut("b3", "b1"));
        assertThat(cuts(Fault.CUT_BROKER_FROM_CLIENTS, 2)).containsExactlyInAnyOrder(
                new Cut("b3", "router"), new Cut("router", "b3"), new Cut("b3", "worker"), new Cut("worker", "b3"));
        assertThat(cuts(Fault.CUT_CLIENT_FROM_BROKERS, 3)).hasSize(6)
                .allMatch(cut -> cut.to().equals("worker") != cut.from().equals("worker"));
        assertThat(cuts(Fault.MUTE_BROKER, 0)).containsExactlyInAnyOrder(new Cut("b2", "b1"), new Cut("b3", "b1"));
    }

    private static List<Cut> cuts(Fault fault, int index) {
        return Namespaces.cuts(fault, index, BROKERS, CLIENTS);
    }
}
