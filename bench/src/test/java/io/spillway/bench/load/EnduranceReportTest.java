package io.spillway.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.TenantBalance;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

public class EnduranceReportTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                             | sent | done | dead | letters | waiting | findings | verdict
            all are done                       |   10 |   10 |    0 |       0 |       0 |        0 | PASS
            or dead letters that are there     |   10 |    8 |    2 |       2 |       0 |        0 | PASS
            a dead letter is not there         |   10 |    8 |    2 |       1 |       0 |        0 | FAIL
            an item was never accepted         |   11 |   10 |    0 |       0 |       0 |        0 | FAIL
            an item came twice                 |    9 |   10 |    0 |       0 |       0 |        0 | FAIL
            ledger and topics differ           |   10 |   10 |    0 |       0 |       0 |        1 | FAIL
            the run was stopped                |   10 |    7 |    0 |       0 |       3 |        0 | items still wait
            and they differ                    |   10 |    7 |    0 |       0 |       3 |        1 | FAIL
            """)
    void every_item_has_one_fate(
            String what, int sent, int done, int dead, long letters, int waiting, int findings, String verdict) {
        long[] accepted = new long[ItemState.COUNT];
        accepted[ItemState.HOT.ordinal()] = done + dead + waiting;
        long[] ended = new long[ItemState.COUNT];
        ended[ItemState.DONE.ordinal()] = done;
        ended[ItemState.DEAD_LETTER.ordinal()] = dead;
        TenantBalance balance =
                TenantBalance.EMPTY.plus(ItemState.OUTSIDE, accepted).plus(ItemState.HOT, ended);

        assertThat(EnduranceReport.verdict(new Accounts(balance, Map.of("reason", letters), findings, 0), sent))
                .isEqualTo(verdict);
    }
}
