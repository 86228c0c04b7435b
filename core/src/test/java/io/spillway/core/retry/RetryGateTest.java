package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One partition of 16. A tenant's shard has four, so its share of 16 retries is four. */
class RetryGateTest {
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);
    private static final long NEVER = Long.MAX_VALUE;

    private final RetryGate gate = new RetryGate(RetrySettings.DEFAULT, 3, 16, 100);
    private long nowMillis = 1_700_000_000_000L;

    @Test
    void aTenantsSavedRetriesGoAtOnceThenOneByTheTrickleAndThenNoneForAMinuteBesideItsFirstAttempts() {
        assertThat(grants("acme", 10)).isEqualTo(4 + 1);
        for (int second = 0; second < 59; second++) {
            nowMillis += 1_000;
            firstFails("acme", nowMillis);
            assertThat(grants("acme", 10)).isZero();
        }
        nowMillis += 1_000;
        assertThat(grants("acme", 10)).isEqualTo(1);
    }

    @ParameterizedTest(name = "last first attempt {0} s after the trickle: the next {1} s after it")
    @CsvSource({"-600, 10", "-40, 10", "-30, 15", "0, 30", "20, 40", "58, 59"})
    void theTrickleIsFasterTheLongerATenantHasNoFirstAttempt(int lastSeconds, int nextSeconds) {
        long trickledMillis = nowMillis;
        grants("acme", 4);
        if (lastSeconds <= 0) {
            firstFails("acme", trickledMillis + lastSeconds * 1_000L);
        }
        assertThat(grants("acme", 2)).isEqualTo(1);
        park("acme", NEVER);
        assertThat(gate.next(nowMillis)).isEmpty();
        if (lastSeconds > 0) {
            nowMillis = trickledMillis + lastSeconds * 1_000L;
            firstFails("acme", nowMillis);
        }
        nowMillis = trickledMillis + nextSeconds * 1_000L - 1;
        assertThat(gate.next(nowMillis)).isEmpty();
        nowMillis++;
        assertThat(gate.next(nowMillis)).contains(key("acme"));
    }

    @Test
    void theTrickleOfATenantWithManyParkedItemsIsSlowUntilFewAreLeft() {
        grants("acme", 5);
        parkMany("acme", 102);
        assertThat(releasedWithin(120)).as("with 102 and 101").isEqualTo(2);
        assertThat(releasedWithin(60)).as("after 30, 15 and 10 s").isEqualTo(3);
        assertThat(releasedWithin(100)).isEqualTo(10);
    }

    /** Items released, looking five times a second. */
    private int releasedWithin(int seconds) {
        int released = 0;
        for (int look = 0; look < 5 * seconds; look++) {
            nowMillis += RetryGate.LOOK_MILLIS;
            released += release();
        }
        return released;
    }

    @Test
    void aClockThatIsSetBackHoldsParkedItemsForOnePeriodAtMost() {
        grants("acme", 5);
        park("acme", NEVER);
        assertThat(gate.next(nowMillis)).isEmpty();
        nowMillis -= 3_600_000;
        assertThat(releasedWithin(60)).as("one in ten seconds").isEqualTo(5);
    }

    @Test
    void tenantsTogetherGetWhatTheirDestinationHasSavedAndThenOneRetryInTenSeconds() {
        int granted = 0;
        for (int tenant = 0; tenant < 50; tenant++) {
            granted += grants("tenant-" + tenant, 2);
        }
        assertThat(granted).as("100 / 16, and the trickle").isEqualTo(6 + 1);
        granted = 0;
        for (int second = 0; second < 60; second++) {
            nowMillis += 1_000;
            for (int tenant = 0; tenant < 50; tenant++) {
                granted += grants("tenant-" + tenant, 1);
            }
        }
        assertThat(granted).isEqualTo(6);
    }

    @Test
    void anotherDestinationHasABudgetOfItsOwn() {
        grants("acme", 10);
        assertThat(gate.mayGo(new RetryKey("b.example:443", "acme"), POLICY, nowMillis)).isTrue();
    }

    @Test
    void whileItemsAreParkedLaterOnesOfTheTenantAreParkedBehindThem() {
        grants("acme", 10);
        park("acme", NEVER);
        succeed("acme", 100, 0);
        assertThat(grants("acme", 1)).isZero();
        assertThat(gate.next(nowMillis)).contains(key("acme"));
        gate.removed(key("acme"), OptionalLong.empty());
        assertThat(grants("acme", 1)).isEqualTo(1);
    }

    @Test
    void aSuccessLetsOneParkedItemGoAndARetrysSuccessThree() {
        grants("acme", 10);
        parkMany("acme", 1_000);
        assertThat(release()).isZero();
        succeed("acme", 4, 0);
        assertThat(release()).as("a quarter of four").isEqualTo(1);
        succeed("acme", 0, 4);
        assertThat(release()).as("two of its own, and a quarter of the third, for each").isEqualTo(9);
    }

    @Test
    void theRampGrowsWithEachRoundTripUpToTwiceTheSuccessesOfASecond() {
        grants("acme", 10);
        parkMany("acme", 100_000);
        List<Integer> released = new ArrayList<>();
        int last = 4;
        for (int trip = 0; trip < 12; trip++) {
            nowMillis += 500;
            // The destination bears 50 in half a second.
            succeed("acme", 0, Math.min(50, last));
            last = release();
            released.add(last);
        }
        assertThat(released.subList(0, 3)).containsExactly(9, 20, 45);
        assertThat(released).allMatch(each -> each <= 200);
        assertThat(gate.parked()).isGreaterThan(98_000);
    }

    @Test
    void tenantsTakeTurns() {
        for (String tenant : List.of("a", "b", "c")) {
            grants(tenant, 10);
            parkMany(tenant, 5);
        }
        for (String tenant : List.of("a", "b", "c")) {
            succeed(tenant, 8, 0);
        }
        List<String> order = new ArrayList<>();
        for (Optional<RetryKey> next = gate.next(nowMillis); next.isPresent(); next = gate.next(nowMillis)) {
            order.add(next.get().tenant());
            gate.removed(next.get(), OptionalLong.of(NEVER));
        }
        assertThat(order).startsWith("a", "b", "c", "a", "b", "c");
    }

    @Test
    void aTenantDoesNotPayForFailuresOfTheWholeDestination() {
        RetryGate two = new RetryGate(RetrySettings.DEFAULT, 0, 1, 100);
        two.mayGo(key("acme"), POLICY, nowMillis);
        two.counted(List.of(new AttemptCounts(RetryKey.OTHERS, -1, 1_000, 0, 0, 0)), nowMillis);
        int granted = 0;
        while (granted < 1_000 && two.mayGo(key("acme"), POLICY, nowMillis)) {
            granted++;
        }
        assertThat(granted).as("the destination's 100, and the trickle").isEqualTo(101);
    }

    @Test
    void anItemThatHasEndedIsFoundWhereverItWaits() {
        grants("a", 10);
        grants("b", 10);
        park("a", nowMillis + 5_000);
        park("a", nowMillis + 9_000);
        park("b", nowMillis + 7_000);
        assertThat(gate.over(nowMillis + 4_999)).isEmpty();
        assertThat(gate.over(nowMillis + 5_000)).contains(key("a"));
        gate.removed(key("a"), OptionalLong.of(nowMillis + 9_000));
        assertThat(gate.over(nowMillis + 6_000)).isEmpty();
        assertThat(gate.over(nowMillis + 8_000)).contains(key("b"));
        gate.removed(key("b"), OptionalLong.empty());
        assertThat(gate.over(nowMillis + 8_000)).isEmpty();
        assertThat(gate.over(nowMillis + 9_000)).contains(key("a"));
        gate.removed(key("a"), OptionalLong.empty());
        assertThat(gate.parked()).isZero();
    }

    @Test
    void tenantsBeyondTheBoundShareAGroup() {
        RetryGate small = new RetryGate(RetrySettings.DEFAULT, 3, 16, 2);
        for (String tenant : List.of("a", "b")) {
            assertThat(small.parked(key(tenant), POLICY, NEVER)).isEqualTo(key(tenant));
        }
        assertThat(small.parked(key("c"), POLICY, NEVER)).isEqualTo(RetryKey.OTHERS);
        assertThat(small.parked(key("d"), POLICY, NEVER)).isEqualTo(RetryKey.OTHERS);
        assertThat(small.groups()).isEqualTo(3);
        assertThat(small.parked()).isEqualTo(4);
    }

    @Test
    void fullBudgetsThatAreNotUsedAreForgotten() {
        grants("acme", 1);
        gate.prune(nowMillis + 600_001);
        assertThat(gate.groups()).as("not full").isEqualTo(1);
        gate.prune(nowMillis + 3_600_001);
        assertThat(gate.groups()).as("not full for an hour: without successes it never would be").isZero();
        grants("acme", 1);
        succeed("acme", 100, 0);
        gate.prune(nowMillis + 600_001);
        assertThat(gate.groups()).isZero();
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

    private void parkMany(String tenant, int items) {
        for (int i = 0; i < items; i++) {
            park(tenant, NEVER);
        }
    }

    private void firstFails(String tenant, long atMillis) {
        // It earns an eightieth of a retry.
        gate.counted(List.of(new AttemptCounts(key(tenant), -1, 1, 0, 0, 0)), atMillis);
    }

    private void succeed(String tenant, long firsts, long retries) {
        gate.counted(List.of(new AttemptCounts(key(tenant), -1, firsts, firsts, 0, 0),
                new AttemptCounts(key(tenant), 3, 0, 0, retries, retries)), nowMillis);
    }

    private int release() {
        int released = 0;
        for (Optional<RetryKey> next = gate.next(nowMillis); next.isPresent(); next = gate.next(nowMillis)) {
            gate.removed(next.get(), OptionalLong.of(NEVER));
            released++;
        }
        return released;
    }
}
