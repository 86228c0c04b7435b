package io.spillway.worker;

import io.spillway.core.engine.Step;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.NextStep;
import io.spillway.core.routing.ItemPlacement;
import io.spillway.core.routing.Route;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.TenantPolicies;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Factory of the records that move items to another lane: same key, value and timestamp, updated headers. What waits
 * for idle capacity goes where it is expected to wait least ({@link ItemPlacement}). Otherwise an item keeps its
 * partition number.
 */
final class LaneRecords {
    static final String STAGE = "worker";
    private static final long KEPT_MILLIS = 60_000;

    private final Topics topics;
    private final LoweredLimits limits;
    private final ItemPlacement placement;
    private final TenantPolicies policies;
    private final InstantSource clock;
    private final boolean keepsTrail;
    private final TrailCodec trail = new TrailCodec();
    private final LedgerOwner owners = new LedgerOwner();

    LaneRecords(
            Topics topics, LoweredLimits limits, ItemPlacement placement, TenantPolicies policies,
            InstantSource clock) {
        this.topics = topics;
        this.limits = limits;
        this.placement = placement;
        this.policies = policies;
        this.clock = clock;
        this.keepsTrail = topics.keepsTrail();
    }

    TenantPolicy policyOf(LaneItem item) {
        return policies.of(item.tenant());
    }

    /** Returns whether {@link #finished} is written for each finished item. */
    boolean keepsTrail() {
        return keepsTrail;
    }

    /**
     * Returns the record of the trail for an item that leaves the worker for good.
     *
     * @param attempts attempts in all
     */
    ProducerRecord<byte[], byte[]> finished(LaneItem item, TrailCodec.End end, int attempts) {
        Headers headers = trail.headers(
                item.read(), item.record().value(), item.record().headers(), item.origin(), attempts);
        return new ProducerRecord<>(topics.trail(), null, null, null, end.encode(), headers);
    }

    /** Returns a record that tells how long the last attempt of its item took, and when the first one began. */
    static ProducerRecord<byte[], byte[]> taking(ProducerRecord<byte[], byte[]> record, Attempt attempt) {
        ItemHeaders.set(record.headers(), ItemHeaders.TOOK, Long.toString(attempt.tookMillis));
        markAttempted(record.headers(), attempt.startedAtMillis);
        return record;
    }

    /**
     * Returns the record of the trail for a failed attempt of a delivery to a subscription; empty for other items,
     * whose failures their metrics count.
     *
     * @param end      where the item goes
     * @param attempts attempts in all
     */
    Optional<ProducerRecord<byte[], byte[]>> failed(Attempt attempt, TrailCodec.End end, int attempts) {
        if (!keepsTrail || !Subscription.isDelivery(attempt.item.workload())) {
            return Optional.empty();
        }
        ProducerRecord<byte[], byte[]> record = finished(attempt.item, end, attempts);
        setDestination(record.headers(), attempt);
        ItemHeaders.set(
                record.headers(), ItemHeaders.LAST_FAILURE, Printable.of(attempt.detail, TrailCodec.MAX_FAILURE));
        return Optional.of(record);
    }

    /**
     * Returns the record of the trail for a move of an item whose tenant is tracked; empty for others, and for
     * deliveries to subscriptions.
     *
     * @param end      where it goes
     * @param attempts attempts in all
     */
    Optional<ProducerRecord<byte[], byte[]>> tracked(LaneItem item, TrailCodec.End end, int attempts) {
        boolean isTracked = keepsTrail && !Subscription.isDelivery(item.workload())
                && policyOf(item).isTracked();
        return isTracked ? Optional.of(finished(item, end, attempts)) : Optional.empty();
    }

    /**
     * Returns the record of a move without an attempt. One within the lane goes to the tenant's shard.
     *
     * @param dueMillis due time for the delay lane, epoch milliseconds; ignored for other lanes
     */
    ProducerRecord<byte[], byte[]> unattempted(LaneItem item, Lane to, LaneReason reason, int moves, long dueMillis) {
        Headers headers = copyOf(item);
        if (to == item.lane()) {
            return to(item.record(), to, ownPartition(item), headers);
        }
        ItemHeaders.set(headers, ItemHeaders.LANE_REASON, reason.label());
        ItemHeaders.set(headers, ItemHeaders.MOVES, Integer.toString(moves));
        if (reason == LaneReason.LOST) {
            ItemHeaders.addLoss(headers);
        }
        if (to == Lane.DELAY) {
            ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
            return to(item.record(), to, headers);
        }
        int partition = placement.moved(new Route.ToLane(to, reason), policies.context(item.tenant()), item.workload(),
                item.record().partition(), clock.millis());
        return to(item.record(), to, partition, headers);
    }

    /** Returns the record of a move to the delay lane after an attempt, which stays within the tenant's shard. */
    ProducerRecord<byte[], byte[]> retry(Attempt attempt, NextStep.Delay next) {
        return to(attempt.item.record(), Lane.DELAY, ownPartition(attempt.item), retryHeaders(attempt, next));
    }

    private int ownPartition(LaneItem item) {
        return placement.retryPartition(policies.context(item.tenant()), item.workload(), item.record().partition());
    }

    private static Headers retryHeaders(Attempt attempt, NextStep.Delay next) {
        Headers headers = copyOf(attempt.item);
        ItemHeaders.set(headers, ItemHeaders.LANE_REASON, LaneReason.RETRY.label());
        ItemHeaders.set(headers, ItemHeaders.ATTEMPT, Integer.toString(next.attempts()));
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(next.dueMillis()));
        ItemHeaders.set(headers, ItemHeaders.WAIT, Long.toString(next.waitMillis()));
        ItemHeaders.set(headers, ItemHeaders.BLAME, Integer.toString(next.blameThousandths()));
        setDestination(headers, attempt);
        ItemHeaders.set(headers, ItemHeaders.LAST_FAILURE, Printable.of(attempt.detail, ItemHeaders.MAX_LAST_FAILURE));
        // The limit on moves counts from the last attempt; otherwise an old item could no longer be moved.
        headers.remove(ItemHeaders.MOVES);
        headers.remove(ItemHeaders.LOST);
        markAttempted(headers, attempt.startedAtMillis);
        return headers;
    }

    /** Returns the record that tells who gave an item its turn that it has ended; empty for one without a turn. */
    Optional<ProducerRecord<byte[], byte[]>> turnEnded(LaneItem item, Turn.Result result) {
        return turnEnded(item.tenant(), item.record().headers(), item.record().timestamp(), result);
    }

    /** As {@link #turnEnded(LaneItem, Turn.Result)}, of a move that has become another one; empty if it goes on. */
    Optional<ProducerRecord<byte[], byte[]>> turnEnded(ProducerRecord<byte[], byte[]> move) {
        return move.topic().equals(topics.lane(Lane.DEAD_LETTER))
                ? turnEnded(owners.of(move.key(), move.value(), move.headers()), move.headers(), move.timestamp(),
                        Turn.Result.DEAD)
                : Optional.empty();
    }

    private Optional<ProducerRecord<byte[], byte[]>> turnEnded(
            String tenant, Headers headers, long timestampMillis, Turn.Result result) {
        return Turn.of(headers, topics.partitions()).map(turn ->
                turn.noticeTo(topics.lane(Lane.DELAY), tenant, headers, timestampMillis, result));
    }

    /** Returns the record by which an item waits in the delay lane for the end of its running attempt. */
    ProducerRecord<byte[], byte[]> claim(Attempt attempt, long dueMillis) {
        Headers headers = copyOf(attempt.item);
        ItemHeaders.set(headers, ItemHeaders.LANE_REASON, LaneReason.CLAIMED.label());
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        markClaim(headers, attempt);
        return to(attempt.item.record(), Lane.DELAY, headers);
    }

    /** Returns the notice that a lease was extended. */
    ProducerRecord<byte[], byte[]> renewal(Attempt attempt, long dueMillis) {
        Headers headers = new RecordHeaders();
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(dueMillis));
        return notice(attempt, ClaimResult.RENEWED, headers);
    }

    /** Returns the notice of what becomes of a claimed item, with all headers that it has if it goes on changed. */
    ProducerRecord<byte[], byte[]> settlement(Attempt attempt, NextStep next) {
        LaneItem item = attempt.item;
        return switch (next) {
            case NextStep.Done done -> taking(
                    notice(attempt, ClaimResult.DONE, new RecordHeaders()), attempt);
            case NextStep.GiveBack back -> notice(attempt, ClaimResult.RELEASED, new RecordHeaders());
            case NextStep.Delay delay -> notice(attempt, ClaimResult.DELAYED, retryHeaders(attempt, delay));
            case NextStep.PutOff later -> notice(attempt, ClaimResult.DELAYED,
                    unattempted(item, Lane.DELAY, LaneReason.LATER, item.moves(), later.dueMillis()).headers());
            case NextStep.DeadLetter dead -> notice(attempt, ClaimResult.DEAD, dead(new Step.DeadLetter<>(
                    item, Optional.of(attempt), dead.why(), dead.attempts()), clock.millis()).headers());
        };
    }

    private ProducerRecord<byte[], byte[]> notice(Attempt attempt, ClaimResult result, Headers headers) {
        ItemHeaders.set(headers, ItemHeaders.CLAIM_RESULT, result.label());
        markClaim(headers, attempt);
        ConsumerRecord<byte[], byte[]> record = attempt.item.record();
        return new ProducerRecord<>(topics.lane(Lane.DELAY), record.partition(), Math.max(0, record.timestamp()), null,
                null, headers);
    }

    /** Only Spillway sets an origin, which makes the headers valid. */
    private static void markClaim(Headers headers, Attempt attempt) {
        ItemHeaders.set(headers, ItemHeaders.CLAIM, attempt.claim);
        ItemHeaders.set(headers, ItemHeaders.ORIGIN, attempt.item.origin());
    }

    /**
     * Returns the dead-letter record of an item or of an unreadable record; after an attempt with the text of the
     * failure. When the first attempt of an item that workers died with began is not known.
     */
    ProducerRecord<byte[], byte[]> dead(Step.DeadLetter<LaneItem, Attempt> dead, long nowMillis) {
        ConsumerRecord<byte[], byte[]> record = dead.item().record();
        Headers headers = copyOf(dead.item());
        headers.remove(ItemHeaders.DUE);
        ItemHeaders.addDeadLetter(
                headers, dead.why(), STAGE, nowMillis, record.topic(), record.partition(), record.offset());
        if (dead.attempts() != dead.item().attempts()) {
            ItemHeaders.set(headers, ItemHeaders.ATTEMPT, Integer.toString(dead.attempts()));
        }
        dead.attempt().ifPresent(attempt -> {
            markAttempted(headers, attempt.startedAtMillis);
            setDestination(headers, attempt);
            attempt.failure.ifPresent(text -> ItemHeaders.set(headers, ItemHeaders.DEAD_FAILURE, text));
        });
        return to(record, Lane.DEAD_LETTER, headers);
    }

    /**
     * Returns a move as its topic takes it. One that the topic has become too small for is a dead letter, or, if that
     * does not fit either, comes again in a minute.
     *
     * @param deltas ledger deltas with this move, which are corrected
     */
    ProducerRecord<byte[], byte[]> fitting(ProducerRecord<byte[], byte[]> move, LedgerDeltas deltas) {
        Optional<Lane> from = Stream.of(Lane.values()).filter(lane -> topics.lane(lane).equals(move.topic())).findAny();
        Optional<String> refusal = refusal(move);
        if (from.isEmpty() || refusal.isEmpty()) {
            return move;
        }
        boolean wasDead = from.get() == Lane.DEAD_LETTER;
        ProducerRecord<byte[], byte[]> other = wasDead ? again(move) : dead(move, refusal.get());
        Lane to = wasDead ? Lane.DELAY : Lane.DEAD_LETTER;
        if (!wasDead && refusal(other).isPresent()) {
            other = again(move);
            to = Lane.DELAY;
        }
        if (refusal(other).isPresent()) {
            return move;
        }
        String tenant = owners.of(move.key(), move.value(), move.headers());
        deltas.remove(tenant, ItemState.of(from.get()));
        deltas.add(tenant, ItemState.of(to));
        if (wasDead) {
            ItemHeaders.text(move.headers(), ItemHeaders.DEAD_REASON).flatMap(DeadReason::of)
                    .ifPresent(reason -> deltas.remove(LedgerOwner.of(reason), ItemState.DEAD_LETTER));
        } else if (to == Lane.DEAD_LETTER) {
            deltas.add(LedgerOwner.of(DeadReason.TOO_LARGE), ItemState.DEAD_LETTER);
        }
        return other;
    }

    /** Returns whether moves must pass {@link #fitting}. */
    boolean mayNotFit() {
        return limits.areLower();
    }

    private Optional<String> refusal(ProducerRecord<byte[], byte[]> move) {
        return limits.refusal(move.topic(), move.key(), move.value(), move.headers());
    }

    private ProducerRecord<byte[], byte[]> dead(ProducerRecord<byte[], byte[]> move, String detail) {
        Headers headers = new RecordHeaders(move.headers()).remove(ItemHeaders.DUE);
        Origin origin = Origin.of(headers).orElse(new Origin(move.topic(), move.partition(), 0));
        ItemHeaders.addDeadLetter(headers, new Route.DeadLetter(DeadReason.TOO_LARGE, detail), STAGE, clock.millis(),
                origin.topic(), origin.partition(), origin.offset());
        return in(Lane.DEAD_LETTER, move, headers);
    }

    private ProducerRecord<byte[], byte[]> again(ProducerRecord<byte[], byte[]> move) {
        Headers headers = new RecordHeaders(move.headers());
        ItemHeaders.removeDeadLetter(headers);
        ItemHeaders.set(headers, ItemHeaders.LANE_REASON, LaneReason.LATER.label());
        ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(clock.millis() + KEPT_MILLIS));
        return in(Lane.DELAY, move, headers);
    }

    private ProducerRecord<byte[], byte[]> in(Lane lane, ProducerRecord<byte[], byte[]> move, Headers headers) {
        return new ProducerRecord<>(
                topics.lane(lane), move.partition(), move.timestamp(), move.key(), move.value(), headers);
    }

    private ProducerRecord<byte[], byte[]> to(ConsumerRecord<byte[], byte[]> record, Lane lane, Headers headers) {
        return to(record, lane, record.partition(), headers);
    }

    private ProducerRecord<byte[], byte[]> to(
            ConsumerRecord<byte[], byte[]> record, Lane lane, int partition, Headers headers) {
        // A producer refuses a negative timestamp, which a record of another client may have.
        long timestamp = Math.max(0, record.timestamp());
        return new ProducerRecord<>(
                topics.lane(lane), partition, timestamp, record.key(), record.value(), headers);
    }

    private static Headers copyOf(LaneItem item) {
        return new RecordHeaders(item.record().headers());
    }

    private static void markAttempted(Headers headers, long atMillis) {
        if (headers.lastHeader(ItemHeaders.FIRST_ATTEMPT_AT) == null) {
            ItemHeaders.set(headers, ItemHeaders.FIRST_ATTEMPT_AT, Long.toString(atMillis));
        }
    }

    /** The default destination, which an item without the header has, costs no bytes. */
    private static void setDestination(Headers headers, Attempt attempt) {
        headers.remove(ItemHeaders.DESTINATION);
        if (!attempt.destination.isEmpty()) {
            ItemHeaders.set(headers, ItemHeaders.DESTINATION, attempt.destination);
        }
    }
}
