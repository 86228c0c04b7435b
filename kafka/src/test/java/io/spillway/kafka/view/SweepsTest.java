package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.SweepMark;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SweepsTest {
    private static final long NOW = 1_000;

    private final Sweeps sweeps = new Sweeps();

    /** Marks are {@code KEY:start-completion} in the order of arrival; without a completion the sweep is running. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "none", textBlock = """
            # what                                             | marks                          | acme is covered before
            no sweep covers nothing                            | ''                             | none
            a completed sweep covers items before its start    | acme:100-200                   | 100
            the later of two                                   | acme:100-200 acme:300-400      | 300
            the last record counts, as after compaction        | acme:300-400 acme:100-200      | 100
            a sweep of all tenants                             | *:100-200                      | 100
            the later of its own and that of all               | acme:100-200 *:300-400         | 300
            and the other way round                            | *:100-200 acme:300-400         | 300
            another tenant's sweep covers nothing here         | bolt:100-200                   | none
            a running sweep covers nothing                     | acme:100                       | none
            and is the last record of its key too              | acme:100-200 acme:300          | none
            completion in the future covers nothing yet        | acme:100-1001                  | none
            completion now covers                              | acme:100-1000                  | 100
            it hides the previous one: nothing drops too early | acme:100-200 acme:300-1001     | none
            one of all in the future leaves its own in force   | acme:100-200 *:300-1001        | 100
            the same sweep received twice                      | acme:100-200 acme:100-200      | 100
            a corrected completion                             | acme:100-9999 acme:100-200     | 100
            """)
    void the_latest_completed_sweep_covers_items_created_before_its_start(
            String what, String marks, Long coveredBefore) {
        for (String mark : marks.isEmpty() ? new String[0] : marks.split(" ")) {
            put(mark);
        }
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, NOW))
                .isEqualTo(coveredBefore == null ? ItemEnds.NO_SWEEP_MILLIS : coveredBefore);
    }

    @Test
    void a_sweep_covers_from_the_moment_it_completes() {
        put("acme:100-1001");
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, 1_000)).isEqualTo(ItemEnds.NO_SWEEP_MILLIS);
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, 1_001)).isEqualTo(100);
    }

    @Test
    void a_removed_sweep_covers_nothing() {
        put("acme:100-200");
        put("*:50-60");
        assertThat(sweeps.size()).isEqualTo(2);
        sweeps.remove("acme");
        assertThat(sweeps.contains("acme")).isFalse();
        assertThat(sweeps.contains("*")).isTrue();
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, NOW)).isEqualTo(50);
        sweeps.remove("*");
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, NOW)).isEqualTo(ItemEnds.NO_SWEEP_MILLIS);
        assertThat(sweeps.size()).isZero();
    }

    @Test
    void an_invalid_record_leaves_the_sweep_unchanged() {
        put("acme:100-200");
        assertThatIllegalArgumentException().isThrownBy(() -> sweeps.put("acme", new byte[7]));
        assertThatIllegalArgumentException().isThrownBy(() -> put("acme:400-300"));
        assertThat(sweeps.coveredBeforeMillis("acme", "", 0, NOW)).isEqualTo(100);
    }

    @ParameterizedTest(name = "a cancel of workload {0} and id {1} covers an item with id 7 of mail: {2}")
    @CsvSource({"'', '', true", "mail, '', true", "sms, '', false", "'', 7, true", "'', 8, false", "mail, 7, true",
        "sms, 7, false"})
    void a_cancel_covers_the_items_of_its_workload_and_id_until_it_is_removed(
            String workload, String id, boolean covers) {
        SweepTarget target = cancel("acme", workload, id);
        assertThat(sweeps.hasCancels("acme")).isTrue();
        assertThat(sweeps.hasCancels("bolt")).isFalse();
        assertThat(sweeps.isCancelled("acme", "mail", 99, 300, () -> "7")).isEqualTo(covers);
        assertThat(sweeps.isCancelled("acme", "mail", 100, 300, () -> "7")).as("a later item").isFalse();
        assertThat(sweeps.isCancelled("bolt", "mail", 99, 300, () -> "7")).isFalse();

        sweeps.remove(target.key());
        assertThat(sweeps.hasCancels("acme")).isFalse();
        assertThat(sweeps.isCancelled("acme", "mail", 99, 300, () -> "7")).isFalse();
    }

    @Test
    void a_tenant_has_as_many_cancels_as_its_bound_beside_its_sweeps() {
        put("acme:100-200");
        for (int i = 0; i < Sweeps.MAX_CANCELS; i++) {
            cancel("acme", "", "id" + i);
        }
        cancel("acme", "", "id0");
        cancel("bolt", "", "");
        assertThatIllegalArgumentException().isThrownBy(() -> cancel("acme", "", "one-more"))
                .withMessage("the tenant has 1000 already");
        sweeps.remove("!acme//id0");
        cancel("acme", "", "one-more");
        assertThat(sweeps.size()).isEqualTo(Sweeps.MAX_CANCELS + 2);
    }

    private SweepTarget cancel(String tenant, String workload, String id) {
        SweepTarget target = new SweepTarget(true, tenant, workload, id);
        sweeps.put(target.key(), Sweeps.encode(new Sweeps.Mark(target, "cancel", new Sweep(100, 200))));
        return target;
    }

    private void put(String mark) {
        String[] keyAndTimes = mark.split(":");
        String[] times = keyAndTimes[1].split("-");
        Instant completed = times.length == 1 ? null : Instant.ofEpochMilli(Long.parseLong(times[1]));
        sweeps.put(keyAndTimes[0], new RecordCodec<>(new SweepMark()).encode(new SweepMark(
                keyAndTimes[0], "sweep", Instant.ofEpochMilli(Long.parseLong(times[0])), completed, "sweep", "", "")));
    }
}
