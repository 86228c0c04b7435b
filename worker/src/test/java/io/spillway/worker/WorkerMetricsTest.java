package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.engine.EngineItem;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.routing.ItemTimes;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.metrics.Departures;
import io.spillway.kafka.metrics.TenantMeters;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class WorkerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Set<String> unavailable = new HashSet<>();
    private long nowMillis = 1_700_000_000_000L;
    private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);

    private WorkerMetrics metrics() {
        return new WorkerMetrics(registry, 2, unavailable::contains, Duration.ofMinutes(5), clock);
    }

    @Test
    void a_poll_without_records_counts_as_empty_only_when_no_items_of_the_lane_wait_in_the_worker() {
        Map<Lane, Long> waiting = new HashMap<>(Map.of(Lane.HOT, 0L, Lane.OVERFLOW, 4_000L, Lane.AGED, 0L));
        WorkerMetrics metrics = metrics();
        metrics.watchWaiting(waiting::get);

        metrics.polled(Lane.HOT, true);
        metrics.polled(Lane.HOT, false);
        metrics.polled(Lane.HOT, false);
        metrics.polled(Lane.OVERFLOW, true);

        assertThat(polls("hot", true)).isEqualTo(1);
        assertThat(polls("hot", false)).isEqualTo(2);
        assertThat(polls("overflow", true)).as("the lane is not polled while its read-ahead is full").isZero();
        assertThat(polls("overflow", false)).isEqualTo(1);

        waiting.put(Lane.OVERFLOW, 0L);
        metrics.polled(Lane.OVERFLOW, true);
        assertThat(polls("overflow", true)).isEqualTo(1);
    }

    @Test
    void tenants_and_workloads_at_their_concurrency_have_series_up_to_the_limit() {
        WorkerMetrics metrics = metrics();
        assertThat(registry.find("spillway.at_cap").gauges()).isEmpty();
        for (int second = 0; second < 300; second++) {
            metrics.limitsAtCap(Set.of("acme"));
        }
        metrics.limitsAtCap(Set.of("bolt/mail"));
        metrics.limitsAtCap(Set.of("third"));

        assertThat(registry.get("spillway.at_cap").tags("tenant", "acme", "workload", "").gauge().value())
                .isBetween(0.9, 1.0);
        assertThat(registry.get("spillway.at_cap").tags("tenant", "bolt", "workload", "mail").gauge().value())
                .isBetween(0.0, 0.1);
        assertThat(registry.find("spillway.at_cap").gauges()).hasSize(2);
    }

    @Test
    void failing_tenants_have_series_up_to_the_limit() {
        WorkerMetrics metrics = metrics();
        assertThat(registry.find("spillway.destination.unavailable").gauges()).isEmpty();

        metrics.failed("acme");
        metrics.failed("globex");
        metrics.failed("globex");
        metrics.failed("initech");
        unavailable.add("globex");

        assertThat(registry.get("spillway.destination.unavailable").tag("tenant", "acme").gauge().value()).isZero();
        assertThat(registry.get("spillway.destination.unavailable").tag("tenant", "globex").gauge().value())
                .isEqualTo(1);
        assertThat(registry.find("spillway.destination.unavailable").gauges()).as("other tenants share no gauge")
                .hasSize(2);
        assertThat(failed("globex")).isEqualTo(2);
        assertThat(failed(TenantMeters.OTHERS)).as("initech has no series of its own").isEqualTo(1);

        for (int election = 0; election < 1_000; election++) {
            metrics.electTenants();
        }
        assertThat(registry.find("spillway.destination.unavailable").gauges()).as("idle tenants lose their series")
                .isEmpty();
        assertThat(registry.find("spillway.attempts.failed").counters()).hasSize(1);
    }

    @Test
    void the_tenants_that_time_out_most_have_series_up_to_the_limit() {
        WorkerMetrics metrics = metrics();
        for (String tenant : List.of("acme", "globex", "globex", "initech")) {
            metrics.timedOut(tenant);
        }
        for (String tenant : List.of("acme", TenantMeters.OTHERS)) {
            assertThat(registry.get("spillway.tenant.timeouts").tag("tenant", tenant).counter().count()).isEqualTo(1);
        }
        assertThat(registry.get("spillway.tenant.timeouts").tag("tenant", "globex").counter().count()).isEqualTo(2);

        for (int election = 0; election < 1_000; election++) {
            metrics.electTenants();
        }
        assertThat(registry.find("spillway.tenant.timeouts").counters()).as("idle tenants lose theirs").hasSize(1);
    }

    @Test
    void the_oldest_waiting_item_grows_older_when_nothing_is_attempted_and_nothing_is_measured() {
        WaitingMeters waiting = metrics().waitingItems;
        assertThat(oldest("hot", TenantMeters.OTHERS)).as("an empty queue").isZero();

        waiting.measure(Map.of(
                Lane.HOT, Map.of("acme", nowMillis - 7_000, "globex", nowMillis),
                Lane.AGED, Map.of("acme", nowMillis - 90_000)));
        waiting.measure(Map.of(Lane.HOT, Map.of("acme", nowMillis - 7_000, "initech", nowMillis - 2_000)));
        nowMillis += 600_000;

        assertThat(oldest("hot", "acme")).isEqualTo(607);
        assertThat(oldest("hot", "globex")).as("none of its items waits any more").isZero();
        assertThat(oldest("hot", TenantMeters.OTHERS)).as("initech has no series of its own").isEqualTo(602);
        assertThat(oldest("aged", "acme")).isZero();

        waiting.unread(Lane.HOT, 700_000);
        assertThat(oldest("hot", TenantMeters.OTHERS)).as("a record that was not read").isEqualTo(700);
    }

    @Test
    void a_tenant_is_late_while_its_oldest_item_waits_too_long_and_for_a_minute_after_a_late_first_attempt() {
        WorkerMetrics metrics = metrics();
        Map<Lane, Map<String, Long>> now = Map.of(Lane.HOT, Map.of("small", nowMillis, "big", nowMillis + 10_000));
        metrics.waitingItems.measure(now);
        nowMillis += 300_000;
        assertThat(late("hot")).as("not older than 5 minutes").isZero();
        nowMillis++;
        assertThat(late("hot")).isEqualTo(1);
        assertThat(late("overflow")).isZero();
        nowMillis += 10_000;
        assertThat(late("hot")).isEqualTo(2);

        metrics.waitingItems.started(item("small", nowMillis - 300_001), nowMillis);
        metrics.waitingItems.started(item("big", nowMillis - 300_000), nowMillis);
        metrics.waitingItems.started(item("retried", EngineItem.ATTEMPTED), nowMillis);
        metrics.waitingItems.measure(Map.of());
        assertThat(late("hot")).as("only the first attempt of small was late").isEqualTo(1);
        nowMillis += 60_001;
        metrics.waitingItems.measure(Map.of());
        assertThat(late("hot")).isZero();
    }

    @Test
    void router_and_worker_share_the_series_of_dropped_and_dead_lettered_items() {
        Departures router = new Departures(registry);
        WorkerMetrics worker = metrics();
        router.dropped(DropReason.TTL);
        worker.departures.dropped(DropReason.TTL);
        router.deadLettered(DeadReason.MALFORMED);
        worker.departures.deadLettered(DeadReason.MALFORMED);

        assertThat(registry.get("spillway.dropped").tag("reason", "ttl").counter().count()).isEqualTo(2);
        assertThat(registry.get("spillway.dead_lettered").tag("reason", "malformed").counter().count()).isEqualTo(2);
        assertThat(registry.find("spillway.dead_lettered").counters()).hasSize(DeadReason.values().length);
    }

    private double oldest(String lane, String tenant) {
        return registry.get("spillway.oldest_waiting").tag("lane", lane).tag("tenant", tenant).gauge().value();
    }

    private double late(String lane) {
        return registry.get("spillway.tenants.late").tag("lane", lane).gauge().value();
    }

    private static LaneItem item(String tenant, long waitsSinceMillis) {
        OwnedPartition owned = new OwnedPartition(new TopicPartition("spillway.hot", 0), Lane.HOT,
                new PartitionProgress(ProgressState.fresh(0), 0, PartitionProgress.DEFAULT_MAX_UNFINISHED));
        ParsedRecord.Item read = new ParsedRecord.Item(tenant, 0, "", false);
        return new LaneItem(owned, null, read, new ItemTimes(read.enqueuedAtMillis(), 0, 0, 0, false), 0, 0, 4, 0, 0,
                false, 0, waitsSinceMillis, 0, Optional.empty());
    }

    private double polls(String lane, boolean empty) {
        return registry.get("spillway.polls").tag("lane", lane).tag("empty", Boolean.toString(empty)).counter().count();
    }

    private double failed(String tenant) {
        return registry.get("spillway.attempts.failed").tag("tenant", tenant).counter().count();
    }
}
