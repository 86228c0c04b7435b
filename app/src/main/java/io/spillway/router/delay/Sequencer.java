package io.spillway.router.delay;

import io.spillway.core.delay.DelayStage;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Route;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.Turn;
import io.spillway.router.route.Decision;
import io.spillway.router.route.Sequenced;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Order stage of one partition of the delay lane: lets the items of an order key go on one at a time, in the order in
 * which they came, and drops those whose id has come before.
 *
 * <p>Owner: the task of the processor that created it, on one thread.
 */
final class Sequencer {
    private static final Logger LOG = LoggerFactory.getLogger(Sequencer.class);
    private static final long LOOK_MILLIS = 10_000;
    /** Items of a key that are dropped at once, before others have their turn. */
    private static final int MOST_DROPPED = 1_000;

    private final OrderQueues queues;
    private final SeenIds ids;
    private final Function<String, TenantPolicy> policies;
    private final DelayMetrics metrics;
    private final Exit exit;
    private long nextLookMillis;

    /** Where items go whose turn it is. */
    interface Exit {
        Decision decide(DelayRecord item, long nowMillis);

        void forward(DelayRecord item, Decision decision, long nowMillis);

        /** An item waits until those before it have ended. */
        void waits(DelayRecord item, long nowMillis);
    }

    Sequencer(
            KeyValueStore<Bytes, byte[]> store, int partition, Function<String, TenantPolicy> policies,
            DelayMetrics metrics, Exit exit) {
        this.queues = new OrderQueues(store, partition, metrics::held);
        this.ids = new SeenIds(store, SeenIds.MOST);
        this.policies = policies;
        this.metrics = metrics;
        this.exit = exit;
    }

    /** Takes an item that {@link Sequenced#isInTurn waits for its turn}. */
    void arrive(DelayRecord item, ParsedRecord.Item read, long nowMillis) {
        Sequenced what = Sequenced.of(read, item.record());
        Headers headers = item.record().headers();
        // A dead letter that was replayed has passed before.
        boolean isNew = Turn.hasPassed(headers) || what.id().isEmpty() || isNew(what.id().get(), read, nowMillis);
        if (!isNew) {
            exit.forward(
                    item, Decision.drop(read.tenant(), policies.apply(read.tenant()), Route.DUPLICATE), nowMillis);
        } else if (what.key().isEmpty()) {
            ItemHeaders.set(headers, ItemHeaders.TURN, Turn.ONCE);
            goAtOnce(item, nowMillis);
        } else if (Turn.of(headers).filter(queues::has).isPresent()) {
            queues.release(what.key().get());
            goAtOnce(item, nowMillis);
        } else {
            headers.remove(ItemHeaders.TURN);
            if (queues.arrive(what.key().get(), item)) {
                goAtOnce(item, nowMillis);
            } else {
                metrics.queued();
                exit.waits(item, nowMillis);
            }
        }
    }

    private boolean isNew(KeyHash id, ParsedRecord.Item read, long nowMillis) {
        long windowMillis = policies.apply(read.tenant()).count(PolicyField.DEDUPE_WINDOW);
        return switch (ids.see(id, read.tenant(), windowMillis, nowMillis)) {
            case NEW -> true;
            case AGAIN -> false;
            case NEW_WITHOUT_ROOM -> {
                metrics.notRemembered();
                yield true;
            }
        };
    }

    /** Takes a record that tells that an item with a turn has ended. */
    void told(Headers notice, long nowMillis) {
        // Another turn is that of a discarded dead letter that held nothing.
        Turn.of(notice).filter(queues::has).ifPresent(turn -> {
            if (!(Turn.isDead(notice) && hold(turn, notice, nowMillis))) {
                next(turn.key(), nowMillis);
            }
        });
    }

    private boolean hold(Turn turn, Headers notice, long nowMillis) {
        String tenant = ItemHeaders.text(notice, ItemHeaders.TENANT).orElse("");
        long forMillis = policies.apply(tenant).count(PolicyField.ORDER_HOLD);
        boolean isHeld = forMillis > 0 && queues.hold(turn, tenant, nowMillis + forMillis);
        if (isHeld) {
            LOG.warn("A dead letter holds the later items with the order key '{}' of tenant '{}', for {} ms unless it is"
                    + " replayed or discarded before", Printable.of(
                            ItemHeaders.text(notice, ItemHeaders.ORDER_KEY).orElse("")), Printable.of(tenant),
                    forMillis);
        }
        return isHeld;
    }

    /** Ends holds whose time is over, and forgets old ids. */
    void run(long nowMillis) {
        queues.noLongerHeld(nowMillis).forEach(key -> next(key, nowMillis));
        ids.forget(nowMillis);
        nextLookMillis = nowMillis + (ids.nextMillis() <= nowMillis ? DelayStage.BUSY_PERIOD_MILLIS : LOOK_MILLIS);
    }

    /** Returns when to call {@link #run} next, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextRunMillis(long nowMillis) {
        // The clock may have been set back.
        nextLookMillis = Math.min(nextLookMillis, nowMillis + LOOK_MILLIS);
        return queues.mayHold() ? nextLookMillis : Math.max(nextLookMillis, ids.nextMillis());
    }

    void close() {
        queues.close();
    }

    private void next(KeyHash key, long nowMillis) {
        pass(key, nowMillis).ifPresent(item -> go(item, nowMillis));
    }

    /** Lets an item go on that has not waited here: what it was due at is that of the router before. */
    private void goAtOnce(DelayRecord item, long nowMillis) {
        item.record().headers().remove(ItemHeaders.DUE);
        go(item, nowMillis);
    }

    /** Gives the next item of a key its turn. It is due now: until then no worker could have attempted it. */
    private Optional<DelayRecord> pass(KeyHash key, long nowMillis) {
        Optional<DelayRecord> next = queues.pass(key);
        next.map(item -> item.record().headers()).ifPresent(headers -> {
            ItemHeaders.set(headers, ItemHeaders.DUE, Long.toString(nowMillis));
            ItemHeaders.set(headers, ItemHeaders.TURN_AT, Long.toString(nowMillis));
        });
        return next;
    }

    /** Lets an item go on whose turn it is, and after it, where one ends here, the next. */
    private void go(DelayRecord first, long nowMillis) {
        Optional<DelayRecord> next = Optional.of(first);
        for (int dropped = 0; next.isPresent(); dropped++) {
            DelayRecord item = next.get();
            Headers headers = item.record().headers();
            Optional<Turn> turn = Turn.of(headers);
            Decision decision = exit.decide(item, nowMillis);
            boolean ends = turn.isPresent() && dropped < MOST_DROPPED && decision.fanOut().isEmpty()
                    && (item.damage().isPresent() || decision.route() instanceof Route.Drop);
            if (ends) {
                headers.remove(ItemHeaders.TURN);
            }
            exit.forward(item, decision, nowMillis);
            next = ends ? pass(turn.get().key(), nowMillis) : Optional.empty();
        }
    }
}
