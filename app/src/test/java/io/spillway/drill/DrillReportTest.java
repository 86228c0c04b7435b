package io.spillway.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.terminal.Printer;
import io.spillway.drill.DrillResult.Ends;
import io.spillway.drill.DrillResult.Wait;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class DrillReportTest {
    private static final DrillPlan PLAN = new DrillPlan(DrillPlan.Kind.OUTAGE, "acme", 10, 50, 20, 10_000);
    private static final DrillResult EXPECTED = new DrillResult(
            List.of(new Wait("acme", "before", 150, 1, 2, 3), new Wait("acme", "during", 100, 7, 8, 9)),
            List.of(new Ends("acme", 250, 250, 0, 0, 0)), 90, Optional.of(12_000L), 0);
    private static final DrillResult MEASURED = new DrillResult(
            List.of(new Wait("acme", "before", 150, 21, 22, 23), new Wait("acme", "during", 0, 0, 0, 0)),
            List.of(new Ends("acme", 250, 100, 20, 3, 127)), 120, Optional.empty(), 2);

    @Test
    void what_is_expected_has_its_own_columns() {
        assertThat(printed(Optional.empty())).isEqualTo("""
                Items, and their age at the first attempt, by when they were sent:
                tenant  phase   expected  p50     p99     max
                acme    before  150       1.0 ms  2.0 ms  3.0 ms
                acme    during  100       7.0 ms  8.0 ms  9.0 ms

                                              expected
                acme: done, dropped, dead     250, 0, 0
                most unfinished, all tenants  90
                backlog gone after the fault  12.0 s
                workers lost                  0
                """);
    }

    @Test
    void what_was_measured_is_beside_it_and_what_is_not_known_is_left_out() {
        assertThat(printed(Optional.of(MEASURED))).contains(
                "acme    before  150       1.0 ms  2.0 ms  3.0 ms  150       21 ms  22 ms  23 ms",
                "acme    during  100       7.0 ms  8.0 ms  9.0 ms  0         -      -      -",
                "100, 20, 3; not finished: 127", "not yet");
    }

    @Test
    void json_has_both() {
        Map<String, Object> json = new DrillReport(PLAN, EXPECTED, Optional.of(MEASURED)).asMap();
        assertThat(json).containsKeys("drill", "tenant", "faultMillis", "expected");
        assertThat(json.get("measured")).asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("finished", false).containsEntry("workersLost", 2)
                .containsEntry("recoveredMillis", null);
    }

    private static String printed(Optional<DrillResult> measured) {
        StringWriter out = new StringWriter();
        Printer printer = new Printer(new PrintWriter(out), new PrintWriter(new StringWriter()), false);
        new DrillReport(PLAN, EXPECTED, measured).print(printer);
        return out.toString();
    }
}
