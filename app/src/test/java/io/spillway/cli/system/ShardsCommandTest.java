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
        CommandRun run = CommandRun.of("shards", "--slots", "8", "--per-tenant", "2", "--tenants", "500").done();

        assertThat(run.out()).startsWith("8 slots, 2 per tenant: 28 different shards\n");
        assertThat(run.out()).containsPattern("2 of 2 +0\\.0357 +0\\.2500 +1\n").contains("####");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void json_has_the_exact_number_and_what_was_observed() {
        JsonNode json = CommandRun.of("shards", "--slots", "2048", "--per-tenant", "4", "--max-overlap", "2",
                "--tenants", "2000", "--seed", "5", "--output", "json").done().json();

        assertThat(json.get("shards").longValue()).isEqualTo(730_862_190_080L);
        assertThat(json.at("/overlaps/0/chance").doubleValue()).isCloseTo(.9922, within(.0001));
        assertThat(json.at("/overlaps/0/observed").doubleValue()).isCloseTo(.9922, within(.001));
        assertThat(json.at("/overlaps/3/assignedPairs").longValue()).isZero();
        assertThat(json.at("/assignment/assigned").intValue()).isEqualTo(2_000);
        assertThat(json.at("/assignment/bound").longValue()).isEqualTo(357_389_824);
        assertThat(json.at("/assignment/reason").isNull()).as("none").isTrue();
    }

    @Test
    void tenants_beyond_the_last_shard_are_refused_and_the_reason_given() {
        CommandRun run = CommandRun.of(
                        "shards", "--slots", "8", "--per-tenant", "2", "--max-overlap", "1", "--tenants", "40")
                .done();

        assertThat(run.out())
                .contains(
                        "28 of 40 tenants have a shard (the theoretical maximum is 28)",
                        "The others have none: the packing bound is reached. This applies to every further tenant.",
                        "from 7 to 7, median 7");
    }

    @Test
    void the_same_seed_gives_the_same_result() {
        String[] command = {"shards", "--slots", "12", "--per-tenant", "4", "--tenants", "100"};
        assertThat(CommandRun.of(command).done().out()).isEqualTo(CommandRun.of(command).done().out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --slots 0 --per-tenant 1                     | --slots 0: must be 1 to 4096
        --slots 4097 --per-tenant 1                  | --slots 4097: must be 1 to 4096
        --slots 8 --per-tenant 9                     | --per-tenant 9: must be 1 to 8 with 8 slots
        --slots 64 --per-tenant 17                   | --per-tenant 17: must be 1 to 16
        --slots 8 --per-tenant 2 --max-overlap 2     | --max-overlap 2: must be 0 to 1 with 2 of 8 slots a tenant
        --slots 4096 --per-tenant 9 --max-overlap 5  | --max-overlap 5: must be 0 to 4
        --slots 8 --per-tenant 2 --max-overlap -1    | --max-overlap -1
        --slots 8 --per-tenant 2 --tenants 1         | --tenants 1: must be 2 to 1000000
        --slots 8 --per-tenant 2 --tenants 1000001   | --tenants 1000001
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
