package io.spillway.cli.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardsCommandTest {
    @Test
    void eight_slots_two_a_tenant_hit_one_in_28_where_plain_shards_hit_one_in_four() {
        CommandRun run = CommandRun.of("shards", "--slots", "8", "--per-tenant", "2").done();

        assertThat(run.out()).startsWith("8 slots, 2 per tenant: 28 different shards\n");
        assertThat(run.out()).containsPattern("2 of 2 +0\\.0357 +0\\.2500 +1\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void json_has_the_exact_number_and_what_was_counted() {
        JsonNode json = CommandRun.of("shards", "--slots", "2048", "--per-tenant", "4", "--max-overlap", "2",
                "--tenants", "2000", "--seed", "5", "--output", "json").done().json();

        assertThat(json.get("shards").longValue()).isEqualTo(730_862_190_080L);
        assertThat(json.at("/overlaps/0/chance").doubleValue()).isCloseTo(.9922, within(.0001));
        assertThat(json.at("/overlaps/3/assignedPairs").longValue()).isZero();
        assertThat(json.at("/assignment/assigned").intValue()).isEqualTo(2_000);
        assertThat(json.at("/assignment/capacity").longValue()).isEqualTo(131_872_229);
        assertThat(json.at("/assignment/usedSlots").intValue()).isEqualTo(4 * 509);
        assertThat(json.at("/assignment/largestOverlap").intValue()).isBetween(1, 2);
    }

    @Test
    void the_capacity_is_printed_and_the_bound_shown_for_all_tenants_that_have_a_shard() {
        CommandRun run = CommandRun.of(
                        "shards", "--slots", "24", "--per-tenant", "4", "--max-overlap", "1", "--tenants", "40")
                .done();

        assertThat(run.out())
                .contains(
                        "With at most 1 shared by any two tenants: 25 tenants can have a shard",
                        "(4 rows of 5 slots, 20 of 24 slots in use).",
                        "25 of 40 tenants have one. Any two share at most 1.");
    }

    @Test
    void the_same_seed_gives_the_same_result() {
        String[] command = {"shards", "--slots", "12", "--per-tenant", "3", "--max-overlap", "1"};
        assertThat(CommandRun.of(command).done().out()).isEqualTo(CommandRun.of(command).done().out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --slots 0 --per-tenant 1                     | --slots 0: must be 1 to 1048576
        --slots 1048577 --per-tenant 1               | --slots 1048577: must be 1 to 1048576
        --slots 8 --per-tenant 9                     | --per-tenant 9: must be 1 to 8 with 8 slots
        --slots 64 --per-tenant 17                   | --per-tenant 17: must be 1 to 16
        --slots 8 --per-tenant 2 --max-overlap 2     | --max-overlap 2: must be 0 to 1 with --per-tenant 2
        --slots 19 --per-tenant 4 --max-overlap 2    | --slots 19: must be 20 to 1048576 with --max-overlap
        --slots 8 --per-tenant 2 --max-overlap -1    | --max-overlap -1
        --slots 8 --per-tenant 2 --tenants 1         | --tenants 1: must be 2 to 20000
        --slots 8 --per-tenant 2 --tenants 20001     | --tenants 20001
        --slots 8 --per-tenant 2 --seed x            | '--seed'
        --slots many --per-tenant 2                  | 'many'
        --per-tenant 2                               | '--slots=N'
        --slots 8                                    | '--per-tenant=K'
        """)
    void numbers_out_of_range_are_wrong_usage(String options, String named) {
        CommandRun run = CommandRun.of(("shards " + options).split(" "));

        assertThat(run.failedWith(2)).contains(named);
        assertThat(run.out()).isEmpty();
    }
}
