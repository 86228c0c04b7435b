package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What retries cost and earn. One partition of 16, of which a tenant has four: its share of 16 retries is four. */
class RetryGateBudgetTest {
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final long NEVER = Long.MAX_VALUE;

    private final RetryGate gate = new RetryGate(RetrySettings.DEFAULT, 3, 16, 100);
    private final long nowMillis = 1_700_000_000_000L;

    @Test
    void destinationsAreForgottenWithTheLastOfTheirTenants() {
        grantsNone("acme", nowMillis);
        grantsNone("bolt", nowMillis + 1_000);
        gate.prune(nowMillis + 600_000);
        assertThat(gate.groups()).as("used within ten minutes").isEqualTo(2);
        gate.prune(nowMillis + 600_001);
        assertThat(gate.groups()).isEqualTo(1);
        assertThat(gate.destinations()).isEqualTo(1);
        gate.prune(nowMillis + 601_001);
        assertThat(gate.groups()).isZero();
        assertThat(gate.destinations()).isZero();
    }

    @Test
    void nothingIsReleasedWhereNothingIsParked() {
        assertThat(gate.next(nowMillis)).isEmpty();
        park("acme", NEVER);
        gate.removed(key("acme"), OptionalLong.empty());
        assertThat(gate.next(nowMillis)).isEmpty();
    }

    @Test
    void whatARefundedRetryHasPaidGrantsAnother() {
        assertThat(grants("acme", 10)).isEqualTo(4 + 1);
        gate.refund(key("acme"), nowMillis);
        assertThat(grants("acme", 10)).as("of the tenant").isEqualTo(1);
        grantsOfMany();
        gate.refund(key("acme"), nowMillis);
        assertThat(grantsOfMany()).as("of the destination").isEqualTo(1);
    }

    @Test
    void noMoreRetriesAreUnderWayThanTwiceTheSavedOnesOrTwiceTheSuccessesOfASecond() {
        RetrySettings few = new RetrySettings(4, Duration.ofSeconds(10), Duration.ofMinutes(1), 0);
        RetryGate two = new RetryGate(few, 0, 2, 100);
        assertThat(grants(two, 10)).as("half of four saved, and the trickle").isEqualTo(3);
        succeedFirst(two, 4);
        assertThat(grants(two, 10)).as("2 · 2 under way, with two tokens left").isEqualTo(1);
        two.refund(key("acme"), nowMillis);
        assertThat(grants(two, 10)).isEqualTo(1);
        succeedFirst(two, 16);
        assertThat(grants(two, 30)).as("half of twenty successes: 20 under way, but nine tokens").isEqualTo(9);
    }

    @Test
    void successesOfTenantsThatAreNotCountedAloneAreSharedByAllPartitions() {
        assertThat(grantsOfMany()).isEqualTo(6 + 1);
        gate.counted(List.of(new AttemptCounts(RetryKey.OTHERS, -1, 16, 16, 0, 0)), nowMillis);
        assertThat(grantsOfMany()).as("a sixteenth").isEqualTo(1);
    }

    @Test
    void aRetryThatFailsDoesNotSlowTheTrickle() {
        assertThat(grants("acme", 10)).isEqualTo(4 + 1);
        park("acme", NEVER);
        gate.counted(List.of(new AttemptCounts(key("acme"), 3, 0, 0, 1, 0)), nowMillis);
        assertThat(gate.next(nowMillis + 9_999)).isEmpty();
        assertThat(gate.next(nowMillis + 10_000)).contains(key("acme"));
    }

    @Test
    void aLowerLimitAppliesToWhatWasSavedBefore() {
        grantsNone("acme", nowMillis);
        TenantPolicy one = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RETRY_TOKENS, "4"));
        int granted = 0;
        for (int i = 0; i < 10; i++) {
            granted += gate.mayGo(key("acme"), one, nowMillis) ? 1 : 0;
        }
        assertThat(granted).as("a quarter of 4, and the trickle").isEqualTo(1 + 1);
    }

    @Test
    void aRetryThatSucceedsEarnsLessOfItsOwnWithALowerShare() {
        TenantPolicy half = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.RETRY_EARNED, "0.5"));
        for (int i = 0; i < 10; i++) {
            gate.mayGo(key("acme"), half, nowMillis);
        }
        gate.counted(List.of(new AttemptCounts(key("acme"), 3, 0, 0, 4, 4)), nowMillis);
        int granted = 0;
        for (int i = 0; i < 10; i++) {
            granted += gate.mayGo(key("acme"), half, nowMillis) ? 1 : 0;
        }
        assertThat(granted).as("half of a quarter and of one, for each of four").isEqualTo(2);
    }

    /** 16 retries of its own, 100 of the destination; one more of each is the trickle. */
    @ParameterizedTest(name = "others: {1} of {0} attempts succeed")
    @CsvSource({"0, 0, 17", "2, 0, 17", "3, 0, 101", "4, 4, 17", "4, 2, 33", "4, 1, 65"})
    void aRetryCostsATenantLessTheMoreAttemptsOfOthersFail(long others, long succeeded, int expected) {
        RetryGate one = new RetryGate(
                new RetrySettings(100, Duration.ofSeconds(10), Duration.ofMinutes(1), 0), 0, 1, 100);
        one.parked(key("acme"), POLICY, NEVER);
        one.removed(key("acme"), OptionalLong.empty());
        one.counted(List.of(new AttemptCounts(key("acme"), -1, 10, 0, 0, 0),
                new AttemptCounts(key("bolt"), -1, others, succeeded, 0, 0)), nowMillis);
        assertThat(grants(one, 200)).isEqualTo(expected);
    }

    /** Makes the gate know a tenant, which pays nothing. */
    private void grantsNone(String tenant, long atMillis) {
        assertThat(gate.mayGo(key(tenant), POLICY, atMillis)).isTrue();
        gate.refund(key(tenant), atMillis);
    }

    private int grantsOfMany() {
        int granted = 0;
        for (int tenant = 0; tenant < 50; tenant++) {
            granted += grants("tenant-" + tenant, 1);
        }
        return granted;
    }

    private int grants(RetryGate other, int asked) {
        int granted = 0;
        for (int i = 0; i < asked; i++) {
            granted += other.mayGo(key("acme"), POLICY, nowMillis) ? 1 : 0;
        }
        return granted;
    }

    private void succeedFirst(RetryGate other, long firsts) {
        other.counted(List.of(new AttemptCounts(key("acme"), -1, firsts, firsts, 0, 0)), nowMillis);
    }

    private static RetryKey key(String tenant) {
        return new RetryKey("", tenant);
    }

    private int grants(String tenant, int asked) {
        int granted = 0;
        for (int i = 0; i < asked; i++) {
            granted += gate.mayGo(key(tenant), POLICY, nowMillis) ? 1 : 0;
        }
        return granted;
    }

    private void park(String tenant, long endMillis) {
        gate.parked(key(tenant), POLICY, endMillis);
    }
}
