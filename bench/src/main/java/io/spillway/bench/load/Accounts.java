package io.spillway.bench.load;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.audit.LedgerReader;
import io.spillway.bench.peers.Answers;
import io.spillway.bench.support.Scene;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetters;
import io.spillway.deadletter.ScanListener;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * What the product's own topics say at the end of a run, by the code of {@code audit} and {@code dead-letters}.
 *
 * @param balance      of all tenants
 * @param dead         dead letters by reason
 * @param findings     differences between the ledger and the items in the topics
 * @param delayOffsets sum of the end offsets of the delay lane: its records and the markers of their transactions
 */
record Accounts(TenantBalance balance, Map<String, Long> dead, int findings, long delayOffsets) {
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final DeadLetterFilter EVERY = new DeadLetterFilter(
            Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Set.of(), Set.of());
    private static final List<Lane> LANES = List.of(Lane.values());

    /** Reads them while the queue still runs. What a handler has done is in the ledger with the next commit. */
    static Accounts of(Scene scene) {
        InstantSource clock = InstantSource.system();
        Map<String, Long> dead = new TreeMap<>();
        try (Census census = new Census(scene.configuration(), clock);
                DeadLetters letters = new DeadLetters(scene.configuration(), clock)) {
            long endNanos = System.nanoTime() + SETTLE_NANOS;
            while (sum(LedgerReader.read(census).tenants().values()).waiting() > 0 && System.nanoTime() < endNanos) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            List<AuditedTenant> audited = Audit.confirmed(census);
            letters.forEach(EVERY, new ScanListener() {}, letter -> dead.merge(letter.reason(), 1L, Long::sum));
            return new Accounts(
                    sum(audited.stream().map(AuditedTenant::after).toList()), dead,
                    audited.stream().mapToInt(tenant -> tenant.findings().size()).sum(), delayOffsets(scene));
        }
    }

    /** Whether the ledger agrees with the topics, has so many items, and each is done or a dead letter. */
    boolean isSettled(int items) {
        return findings == 0 && balance.difference() == 0 && balance.accepted() == items && balance.waiting() == 0
                && balance.in(ItemState.DEAD_LETTER) == dead.values().stream().mapToLong(count -> count).sum();
    }

    /** How often items were written to a lane: 1 for an item that is done at its first attempt. */
    long moves() {
        return LANES.stream().mapToLong(lane -> balance.entered(ItemState.of(lane))).sum();
    }

    private static TenantBalance sum(Collection<TenantBalance> balances) {
        return balances.stream().reduce(TenantBalance.EMPTY, TenantBalance::plus);
    }

    private static long delayOffsets(Scene scene) {
        Map<TopicPartition, OffsetSpec> request = IntStream.range(0, Scene.PARTITIONS).boxed().collect(Collectors.toMap(
                partition -> new TopicPartition(scene.topics().lane(Lane.DELAY), partition),
                partition -> OffsetSpec.latest()));
        return Answers.get(scene.admin().listOffsets(request).all()).values().stream()
                .mapToLong(end -> end.offset()).sum();
    }
}
