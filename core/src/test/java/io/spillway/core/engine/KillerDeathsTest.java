package io.spillway.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Deaths of workers that items cost which kill every process that runs them. One worker at a time owns everything. */
class KillerDeathsTest {
    private static final int MOST_DEATHS = 200;

    private final Map<Integer, ProgressState> committed = new HashMap<>();
    private final List<List<String>> logs = new ArrayList<>();
    private final Set<String> convicted = new TreeSet<>();
    private final Set<String> done = new TreeSet<>();
    private int deaths;
    /** Whether another worker has its turn while every second owner lives. */
    private boolean alternates;
    private int owners;

    @ParameterizedTest(name = "{0} killers of one tenant in {1} partitions: {2} deaths")
    @CsvSource({
        "1, 1, 3", "2, 1, 4", "3, 1, 5", "5, 1, 7", "10, 1, 12", "20, 1, 22",
        "2, 2, 4", "5, 5, 7", "10, 3, 12",
    })
    void each_killer_of_a_tenant_after_the_first_costs_one_death(int killers, int partitions, int expected) {
        for (int i = 0; i < partitions; i++) {
            logs.add(new ArrayList<>());
        }
        for (int i = 0; i < killers; i++) {
            logs.get(i % partitions).add("acme killer " + i);
        }

        run();

        assertThat(convicted).hasSize(killers);
        assertThat(deaths).isEqualTo(expected);
    }

    @Test
    void killers_of_two_tenants_are_judged_apart() {
        logs.add(List.of("acme killer 0", "bolt killer 1", "acme killer 2", "bolt killer 3"));

        run();

        assertThat(convicted).hasSize(4);
        assertThat(deaths).as("1 beside others, then 2 and 1 for those of each tenant").isEqualTo(7);
    }

    @Test
    void an_innocent_item_between_killers_is_done_and_ends_the_quick_judgement() {
        logs.add(List.of("acme killer 0", "acme item 1", "acme killer 2"));

        run();

        assertThat(convicted).containsExactly("acme killer 0", "acme killer 2");
        assertThat(done).containsExactly("acme item 1");
        assertThat(deaths).as("1 beside others, then 2 for each").isEqualTo(5);
    }

    @Test
    void no_item_is_convicted_for_a_killer_that_runs_for_the_first_time_beside_it() {
        List<String> log = new ArrayList<>(List.of("acme killer 0", "acme killer 1"));
        for (int i = 2; i < 600; i++) {
            log.add(i % 25 == 24 ? "acme killer " + i : "acme item " + i);
        }
        logs.add(log);

        run();

        assertThat(convicted).hasSize(26).allMatch(KillerDeathsTest::kills);
        assertThat(done).hasSize(574);
    }

    @Test
    void two_killers_of_a_partition_are_convicted_though_the_younger_suspects_run_in_the_turns_of_others() {
        List<String> older = new ArrayList<>();
        List<String> log = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            older.add("acme item " + i);
        }
        for (int i = 0; i < 90; i++) {
            log.add(i == 3 ? "bolt killer" : i == 80 ? "cork killer" : "acme item " + (150 + i));
        }
        logs.addAll(List.of(older, log));
        alternates = true;

        run();

        assertThat(convicted).containsExactly("bolt killer", "cork killer");
        assertThat(done).hasSize(238);
        assertThat(deaths).as("1 beside others, then 1 in a group and 2 alone for each").isEqualTo(7);
    }

    private void run() {
        for (int i = 0; i < logs.size(); i++) {
            committed.put(i, ProgressState.fresh(0));
        }
        while (committed.entrySet().stream()
                .anyMatch(state -> state.getValue().frontier() < logs.get(state.getKey()).size())) {
            deaths += dies() ? 1 : 0;
            assertThat(deaths).as("deaths, convicted so far %s", convicted).isLessThan(MOST_DEATHS);
        }
    }

    /** Runs a worker until it dies, everything is finished, or it hands over what it may not run. */
    private boolean dies() {
        EngineTimeline worker = new EngineTimeline(10);
        worker.set(PolicyField.AGED_AFTER, "1h");
        worker.set(PolicyField.TTL, "none");
        boolean hasTurn = !alternates || owners++ % 2 == 0;
        worker.engine.follow("worker", hasTurn ? Map.of() : Map.of("other", new SuspectStatus.Received(
                new SuspectStatus(1, worker.nowMillis, Map.of()), worker.nowMillis)));
        List<EnginePartition> partitions = new ArrayList<>();
        for (int i = 0; i < logs.size(); i++) {
            ProgressState before = committed.get(i);
            partitions.add(new EnginePartition(
                    i, Lane.HOT, new PartitionProgress(before, logs.get(i).size(), 1_500)));
            for (long offset = before.frontier(); offset < logs.get(i).size(); offset++) {
                String name = logs.get(i).get((int) offset);
                EngineTimeline.Item item = new EngineTimeline.Item(
                        partitions.getLast(), offset, name.substring(0, 4), 0, 0,
                        worker.nowMillis - logs.get(i).size() + offset);
                worker.receives(item);
            }
        }
        worker.fill();
        while (partitions.stream().anyMatch(each -> each.unfinished() > 0 || each.isDirty())) {
            commit(worker, partitions);
            List<EngineTimeline.Attempt> running = List.copyOf(worker.engine.attempts());
            if (running.stream().anyMatch(attempt -> kills(nameOf(attempt.item)))) {
                return true;
            }
            if (running.isEmpty() && !hasTurn) {
                partitions.forEach(worker::leave);
                worker.engine.drained(partitions);
                commit(worker, partitions);
                return false;
            }
            running.forEach(attempt -> worker.ends(attempt, Outcome.done()));
            if (running.isEmpty()) {
                // The only worker rests after a death.
                worker.nowMillis += SuspectTurn.REST_MILLIS;
                worker.fill();
            }
        }
        return false;
    }

    private void commit(EngineTimeline worker, List<EnginePartition> partitions) {
        for (EnginePartition partition : partitions) {
            ProgressState state = worker.engine.snapshot(partition);
            int number = (int) partition.id;
            committed.put(number, ProgressCodec.decode(state.frontier(), ProgressCodec.encode(state)));
            for (long offset = 0; offset < logs.get(number).size(); offset++) {
                boolean finished = offset < state.frontier()
                        || offset < state.readTo() && !state.unfinished().contains(offset);
                if (finished) {
                    String name = logs.get(number).get((int) offset);
                    (kills(name) ? convicted : done).add(name);
                }
            }
            worker.committed(partition, state);
        }
        worker.effects().stream().filter(effect -> effect.startsWith("dead-letter")).forEach(effect -> assertThat(
                logs).as(effect).anyMatch(log -> kills(log.get(offsetOf(effect)))));
    }

    private static int offsetOf(String effect) {
        return Integer.parseInt(effect.substring("dead-letter ".length(), effect.indexOf(':')));
    }

    private String nameOf(EngineTimeline.Item item) {
        return logs.get((int) item.partition().id).get((int) item.offset());
    }

    private static boolean kills(String name) {
        return name.contains("killer");
    }
}
