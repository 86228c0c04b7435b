package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CampaignTableTest {
    @Test
    void runs_and_faults_are_counted_and_a_failure_names_its_first_breach() {
        CampaignTable table = new CampaignTable();
        table.add(schedule(1, Fault.KILL_ROUTER, Fault.KILL_ROUTER, Fault.THROTTLE), report());
        table.add(schedule(2, Fault.KILL_ROUTER), report("x was lost", "y too"));

        assertThat(table.text())
                .contains("| 1 | 3 | 1,000 | 990 | 0 | 10 | 3 | 7 | 12 | pass |",
                        "| 2 | 1 | 1,000 | 990 | 0 | 10 | 3 | 7 | 12 | FAIL: x was lost |",
                        "| `KILL_ROUTER` | 3 | 2 | 1 |", "| `THROTTLE` | 1 | 1 | 0 |",
                        "| worker | 8 | 1.5 | 12.0 |", "| gateway | 2 | - | - |");
    }

    private static Schedule schedule(long seed, Fault... faults) {
        return new Schedule(seed, List.of(faults).stream()
                .map(fault -> new Schedule.Event(fault, 0, 1, 0, Brokers.Side.ROUTER)).toList());
    }

    private static Campaign.Report report(String... breaches) {
        return new Campaign.Report(
                List.of(breaches), 1_000, 3, Map.of("done", 990L, "dead", 10L), 7, 12_000, List.of(
                        new Processes.Life("w", Fault.Target.WORKER, 4, List.of(12_000, 1_400, 1_500), List.of(9, 1)),
                        new Processes.Life("g", Fault.Target.GATEWAY, 1, List.of(), List.of())));
    }
}
