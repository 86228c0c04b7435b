package io.spillway.sim;

import io.spillway.cli.simulate.ScenarioFiles;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Program that compares the waits for the first attempt through Spillway, through one FIFO queue and in the
 * {@link IdealModel}, as tables in Markdown. Its arguments are scenario files, or names of shipped scenarios. The ideal
 * has no failures, so it is left out when a scenario has any.
 *
 * <pre>
 * M=schemas,core,client,kafka,worker,app
 * mvn -o -q -pl $M -am test-compile dependency:build-classpath -Dmdep.outputFile=target/test.classpath
 * java -Xmx2g -cp app/target/test-classes:app/target/classes:$(cat app/target/test.classpath) \
 *     -Dspillway.scheduler.seed=0 io.spillway.sim.SchedulerTable FILE...
 * </pre>
 */
final class SchedulerTable {
    private static final List<String> MODELS = List.of("Spillway", "FIFO", "ideal");

    private SchedulerTable() {}

    public static void main(String[] files) {
        for (String file : files) {
            print(ScenarioFiles.load(file), Long.getLong("spillway.scheduler.seed", 0));
        }
    }

    private static void print(Scenario scenario, long seed) {
        boolean isIdeal = scenario.groups().stream().map(TenantGroup::handling).noneMatch(SchedulerTable::mayFail);
        int slots = scenario.cluster().slots();
        System.out.printf("## %s%n%nseed %d, %d slots%n%n", scenario.name(), seed, slots);
        System.out.println("| tenants, phase | model | items | p50 s | p99 s | max s | drained after s |");
        System.out.println("|---|---|--:|--:|--:|--:|--:|");
        StringBuilder wholes = new StringBuilder("""

                | model | end s | mean slots | backlog s | slots in backlog |
                |---|--:|--:|--:|--:|
                """);
        for (String model : MODELS.subList(0, isIdeal ? MODELS.size() : MODELS.size() - 1)) {
            TimedRun run = switch (model) {
                case "Spillway" -> TimedRun.of(scenario, Discipline.SPILLWAY, seed);
                case "FIFO" -> TimedRun.of(scenario, Discipline.FIFO, seed);
                default -> TimedRun.ideal(scenario, seed);
            };
            for (int group = 0; group < scenario.groups().size(); group++) {
                print(run.result().groups().get(group), "", model, run.drainedNanos(group));
            }
            run.result().phases().forEach(phase ->
                    print(phase.row(), ", " + phase.phase(), model, OptionalLong.empty()));
            TimedRun.Backlogged backlogged = run.whileWaiting(2 * slots);
            wholes.append(String.format(Locale.ROOT, "| %s | %.1f | %.1f | %.1f | %.1f |%n", model,
                    seconds(run.endNanos()), run.meanSlots(), backlogged.seconds(), backlogged.meanSlots()));
        }
        System.out.println(wholes);
    }

    private static void print(SimulationResult.Row row, String phase, String model, OptionalLong drainedNanos) {
        System.out.printf(Locale.ROOT, "| %s%s | %s | %d | %.3f | %.3f | %.3f | %s |%n", row.name(), phase, model,
                row.accepted(), row.p50Millis() / 1e3, row.p99Millis() / 1e3, row.maxMillis() / 1e3,
                drainedNanos.stream().mapToObj(nanos -> String.format(Locale.ROOT, "%.1f", seconds(nanos)))
                        .collect(Collectors.joining()));
    }

    private static boolean mayFail(Handling handling) {
        return handling.kills() || handling.failureRate() + handling.finalRate() + handling.poisonRate() > 0
                || !handling.disturbances().isEmpty();
    }

    private static double seconds(long nanos) {
        return (double) nanos / SimulatedTime.NANOS_PER_SECOND;
    }
}
