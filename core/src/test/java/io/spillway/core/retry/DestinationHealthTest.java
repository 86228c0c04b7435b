package io.spillway.core.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DestinationHealthTest {
    private static final long START = 1_700_000_000_000L;
    private final DestinationHealth health = new DestinationHealth(3);
    private long nowMillis = START;

    @Test
    void aLoneItemThatFailsAgainAndAgainIsBlamedForEachFailure() {
        List<Integer> blames = new ArrayList<>();
        for (int attempt = 0; attempt < 5; attempt++) {
            health.ended("", "acme", "", attempt == 0, -1, false, nowMillis);
            blames.add(health.blame("", "acme", nowMillis));
            nowMillis += 2_000;
        }
        assertThat(blames).containsExactly(1_000, 1_000, 1_000, 1_000, 1_000);
    }

    @Test
    void whileAllItemsFailNoneIsBlamed() {
        fail("acme", 10, 50);
        assertThat(health.blame("", "acme", nowMillis)).isZero();
        assertThat(health.isTenantUnavailable("acme", nowMillis)).isTrue();
        assertThat(health.unavailable(nowMillis)).isEqualTo(1);
    }

    @Test
    void aSmallTenantBenefitsFromWhatTheDestinationDidWithOthers() {
        fail("acme", 10, 50);
        health.ended("", "globex", "", true, -1, false, nowMillis);
        assertThat(health.blame("", "globex", nowMillis)).isZero();
        assertThat(health.blame("other.example", "globex", nowMillis)).as("another destination").isEqualTo(1_000);
    }

    @Test
    void aTenantThatFailsAloneIsNotBlamedAndDoesNotExcuseTheOthers() {
        for (int i = 0; i < 200; i++) {
            health.ended("", "acme", "", true, -1, false, nowMillis);
            for (int well = 0; well < 50; well++) {
                health.ended("", "globex", "", true, -1, true, nowMillis);
            }
            nowMillis += 100;
        }
        assertThat(health.blame("", "acme", nowMillis)).isZero();
        health.ended("", "globex", "", true, -1, false, nowMillis);
        assertThat(health.blame("", "globex", nowMillis)).isGreaterThan(900);
        assertThat(health.unavailable(nowMillis)).isZero();
    }

    /** Blame is -ln p / ln 20: at a tenth 0.77, at a half 0.23, at nine tenths 0.035. */
    @ParameterizedTest(name = "{0} of the items fail: blame {1}")
    @CsvSource({"0.02, 1000", "0.05, 1000", "0.1, 770", "0.3, 400", "0.5, 230", "0.9, 35"})
    void theMoreOtherItemsFailTheLessAnItemIsBlamed(double share, int blame) {
        long seed = 7;
        Random random = new Random(seed);
        double sum = 0;
        int measured = 0;
        for (int item = 0; item < 5_000; item++) {
            boolean fails = random.nextDouble() < share;
            health.ended("", "acme", "", true, -1, !fails, nowMillis);
            if (fails && item > 500) {
                sum += health.blame("", "acme", nowMillis);
                measured++;
            }
            nowMillis += 50;
        }
        // The highest of several estimates is a little too high, which is the safe side.
        assertThat(sum / measured).as("seed %d", seed).isCloseTo(blame, within(15 + 0.15 * blame));
    }

    /** The probability of a wrong dead letter after five whole blames is 20⁻⁵: 3 in ten million. */
    @ParameterizedTest(name = "{0} of all attempts fail, {1} items a second")
    @CsvSource({"0.1, 20", "0.3, 20", "0.5, 20", "0.9, 20", "0.5, 0.2"})
    void itemsWithoutAFaultAreNotDeadLetters(double share, double perSecond) {
        long seed = 11;
        Random random = new Random(seed);
        int dead = 0;
        for (int item = 0; item < 5_000; item++) {
            int blame = 0;
            long atMillis = nowMillis;
            for (int attempt = 0; random.nextDouble() < share; attempt++) {
                health.ended("", "acme", "", attempt == 0, -1, false, atMillis);
                blame += health.blame("", "acme", atMillis);
                atMillis += 1;
            }
            health.ended("", "acme", "", blame == 0, -1, true, atMillis);
            // Before that nothing is known.
            dead += blame >= 5_000 && item > 20 ? 1 : 0;
            nowMillis += (long) (1_000 / perSecond);
        }
        assertThat(dead).as("seed %d", seed).isLessThanOrEqualTo(perSecond < 1 ? 2 : 0);
    }

    @Test
    void poisonAmongGoodItemsIsBlamed() {
        long seed = 5;
        Random random = new Random(seed);
        for (int item = 0; item < 1_000; item++) {
            health.ended("", "acme", "", true, -1, random.nextDouble() >= 0.05, nowMillis);
            nowMillis += 50;
        }
        int sum = 0;
        for (int attempt = 0; attempt < 5; attempt++) {
            health.ended("", "acme", "", attempt == 0, -1, false, nowMillis);
            sum += health.blame("", "acme", nowMillis);
        }
        assertThat(sum).as("seed %d", seed).isGreaterThan(3_800);
    }

    @Test
    void afterTheInputHasStoppedInAnOutageRetriesThatFailAreStillNotBlamed() {
        fail("acme", 50, 100);
        for (int minute = 0; minute < 60; minute++) {
            nowMillis += 60_000;
            health.ended("", "acme", "", false, -1, false, nowMillis);
            assertThat(health.blame("", "acme", nowMillis)).as("minute %d", minute).isLessThan(100);
        }
    }

    @Test
    void attemptsAreReportedOnceForTenantsThatFailAndTogetherForTheOthers() {
        health.ended("", "globex", "", true, -1, true, nowMillis);
        assertThat(health.takeCounts(10)).as("all is well").isEmpty();
        health.ended("", "acme", "", true, -1, false, nowMillis);
        health.ended("", "acme", "", false, -1, true, nowMillis);
        health.ended("", "globex", "", true, -1, true, nowMillis);
        health.ended("", "acme", "", false, 7, false, nowMillis);
        RetryKey acme = new RetryKey("", "acme");
        assertThat(health.takeCounts(10)).containsExactlyInAnyOrder(
                new AttemptCounts(acme, -1, 1, 0, 0, 0), new AttemptCounts(acme, -1, 0, 0, 1, 1),
                new AttemptCounts(acme, 7, 0, 0, 1, 0), new AttemptCounts(RetryKey.OTHERS, -1, 1, 1, 0, 0));
        assertThat(health.takeCounts(10)).isEmpty();
    }

    @Test
    void tenantsThatDoNotFailAreReportedTogetherForEachDestination() {
        health.ended("x", "acme", "", true, -1, false, nowMillis);
        health.ended("x", "globex", "", true, -1, true, nowMillis);
        assertThat(health.takeCounts(10)).containsExactlyInAnyOrder(
                new AttemptCounts(new RetryKey("x", "acme"), -1, 1, 0, 0, 0),
                new AttemptCounts(new RetryKey("x", ""), -1, 1, 1, 0, 0));
    }

    @Test
    void tenantsBeyondTheBoundAreCountedTogetherAndHealthyOnesAreForgotten() {
        for (String tenant : List.of("a", "b", "c", "d", "e")) {
            health.ended("", tenant, "", true, -1, false, nowMillis);
        }
        assertThat(health.takeCounts(10)).hasSize(4)
                .contains(new AttemptCounts(RetryKey.OTHERS, -1, 2, 0, 0, 0));
        health.prune(nowMillis + 600_001);
        health.ended("", "a", "", true, -1, true, nowMillis);
        assertThat(health.takeCounts(10)).isEmpty();
    }

    @Test
    void whileRetriesGoOnAttemptsAreReportedAlsoIfNoneHasFailedForLong() {
        health.ended("", "acme", "", true, -1, false, nowMillis);
        for (int minute = 0; minute < 60; minute++) {
            nowMillis += 60_000;
            health.ended("", "acme", "", false, 3, true, nowMillis);
            health.prune(nowMillis);
            assertThat(health.takeCounts(10)).as("minute %d", minute).isNotEmpty();
        }
        DestinationHealth restarted = new DestinationHealth(3);
        restarted.ended("", "acme", "", false, 3, true, nowMillis);
        assertThat(restarted.takeCounts(10))
                .containsExactly(new AttemptCounts(new RetryKey("", "acme"), 3, 0, 0, 1, 1));
    }

    @Test
    void aTenantHasFailedForTheTimeFromItsFirstToItsLatestFailureSinceASuccess() {
        fail("acme", 3, 60_000);
        assertThat(health.hasFailedFor("acme", "", 120_000)).isTrue();
        assertThat(health.hasFailedFor("acme", "", 120_001)).as("the time after the latest does not count").isFalse();
        assertThat(health.hasFailedFor("globex", "", 0)).isFalse();

        health.ended("y", "acme", "", true, -1, true, nowMillis);
        assertThat(health.hasFailedFor("acme", "", 0)).as("a success at another destination").isFalse();
        fail("acme", 2, 60_000);
        health.ended("", "acme", "", false, 3, false, nowMillis);
        assertThat(health.hasFailedFor("acme", "", 0)).as("two items only").isFalse();
        fail("acme", 1, 0);
        assertThat(health.hasFailedFor("acme", "", 120_000)).isTrue();
        health.ended("", "acme", "", false, 3, true, nowMillis);
        assertThat(health.hasFailedFor("acme", "", 0)).as("a retry that succeeds").isFalse();
    }

    @Test
    void afterTenMinutesWithoutAFailureATenantIsNoLongerFailing() {
        fail("acme", 3, 60_000);
        health.prune(nowMillis - 60_000 + 600_000);
        assertThat(health.hasFailedFor("acme", "", 120_000)).isTrue();
        health.prune(nowMillis - 60_000 + 600_001);
        assertThat(health.hasFailedFor("acme", "", 0)).isFalse();
        for (String tenant : List.of("a", "b", "c", "d")) {
            fail(tenant, 3, 1);
        }
        assertThat(health.hasFailedFor("c", "", 0)).isTrue();
        assertThat(health.hasFailedFor("d", "", 0)).as("beyond the bound").isFalse();
    }

    @Test
    void subscriptions_fail_apart_from_each_other_and_from_their_tenant_within_the_same_bound() {
        for (String workload : List.of("~a", "~b", "mail", "~d")) {
            IntStream.range(0, 3).forEach(item -> health.ended("", "acme", workload, true, -1, false, nowMillis));
        }
        health.ended("", "acme", "~a", true, -1, true, nowMillis);
        assertThat(health.hasFailedFor("acme", "~a", 0)).isFalse();
        assertThat(health.hasFailedFor("acme", "~b", 0)).isTrue();
        assertThat(health.hasFailedFor("acme", "export", 0)).as("its workloads are one").isTrue();
        assertThat(health.hasFailedFor("acme", "~d", 0)).as("beyond the bound").isFalse();
    }

    @ParameterizedTest(name = "{1} of {0} items fail")
    @CsvSource({"2, 2, false", "3, 3, true", "20, 19, true", "20, 18, false"})
    void aTenantIsUnavailableWhenNineteenOfTwentyAndThreeItemsAtLeastFail(int items, int failed, boolean expected) {
        for (int i = 0; i < items; i++) {
            health.ended("", "acme", "", true, -1, i >= failed, nowMillis);
        }
        assertThat(health.isTenantUnavailable("acme", nowMillis)).isEqualTo(expected);
        assertThat(health.unavailableTenants(nowMillis)).isEqualTo(expected ? Set.of("acme") : Set.of());
        assertThat(health.unavailable(nowMillis)).isEqualTo(expected ? 1 : 0);
        assertThat(health.isTenantUnavailable("globex", nowMillis)).isFalse();
    }

    @Test
    void onlyAsManyCountsAreTakenAsAskedForAndTheOthersComeNextTime() {
        health.ended("", "acme", "", true, -1, false, nowMillis);
        for (int partition = 0; partition < 3; partition++) {
            health.ended("", "acme", "", false, partition, false, nowMillis);
        }
        health.ended("", "globex", "", true, -1, true, nowMillis);
        List<AttemptCounts> taken = new ArrayList<>();
        for (int expected : new int[] {2, 2, 1, 0}) {
            List<AttemptCounts> next = health.takeCounts(2);
            assertThat(next).hasSize(expected);
            taken.addAll(next);
        }
        assertThat(health.takeCounts(0)).isEmpty();
        assertThat(taken).doesNotHaveDuplicates();
        assertThat(taken.stream().mapToLong(AttemptCounts::attempts).sum()).isEqualTo(5);
    }

    @Test
    void entriesAreKeptForTenMinutesOrUntilTheirCountsAreTakenAndThenMakeRoom() {
        for (String tenant : List.of("a", "b", "c")) {
            health.ended("", tenant, "", true, -1, false, nowMillis);
        }
        health.prune(nowMillis + 600_001);
        assertThat(health.takeCounts(10)).as("not taken before").hasSize(3);
        health.prune(nowMillis + 600_000);
        health.ended("", "d", "", true, -1, false, nowMillis);
        assertThat(health.takeCounts(10)).extracting(AttemptCounts::key).as("no room").containsExactly(RetryKey.OTHERS);
        health.prune(nowMillis + 600_001);
        health.ended("", "d", "", true, -1, true, nowMillis);
        assertThat(health.takeCounts(10)).as("nothing has failed").isEmpty();
        for (String tenant : List.of("d", "e", "f")) {
            health.ended("", tenant, "", true, -1, false, nowMillis);
        }
        assertThat(health.takeCounts(10)).hasSize(3).extracting(AttemptCounts::key).doesNotContain(RetryKey.OTHERS);
    }

    @Test
    void failuresAtDestinationsBeyondTheBoundAreTheItemsOwn() {
        for (String destination : List.of("a", "b", "c", "d")) {
            for (int i = 0; i < 5; i++) {
                health.ended(destination, "acme", "", true, -1, false, nowMillis);
            }
        }
        assertThat(health.blame("c", "acme", nowMillis)).isZero();
        assertThat(health.blame("d", "acme", nowMillis)).isEqualTo(DestinationHealth.WHOLE);
    }

    private void fail(String tenant, int items, long everyMillis) {
        for (int i = 0; i < items; i++) {
            health.ended("", tenant, "", true, -1, false, nowMillis);
            nowMillis += everyMillis;
        }
    }
}
