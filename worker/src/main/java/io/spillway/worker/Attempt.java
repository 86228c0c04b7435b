package io.spillway.worker;

import io.spillway.core.engine.Claims;
import io.spillway.core.engine.EngineAttempt;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.scheduling.SlotLease;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.handler.Receiver;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.tracing.AttemptSpan;
import io.spillway.tracing.TraceHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * One running handler call: its item as the handler sees it, and its lease, which no step of the wall clock shortens.
 * Fields of the item beyond the routing fields are decoded when a handler first reads one. Its lock orders the end of
 * the call and the interrupt, so that no interrupt reaches the thread after the call has returned.
 *
 * <p>Attempts of one call for several items have one lease, the one of the first of them, and the lock of that one.
 */
final class Attempt extends EngineAttempt<LaneItem> implements Delivery, Delivery.Lease {
    /** Reason for the interrupt of a call. */
    enum Interruption { NONE, LEASE_ENDED, PARTITION_LEFT }

    /** Time for a renewal to be recorded after the end of the lease before; less than a claim lasts longer. */
    private static final long RENEWAL_NANOS = TimeUnit.MILLISECONDS.toNanos(Claims.MARGIN_MILLIS / 2);
    /** Time for a worker to give up an attempt, which it looks for every 10 s. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final ItemDecoder DECODER = new ItemDecoder();
    private static final byte[] NO_KEY = {};

    final long startedAtMillis;
    /** How long its call took, of one for several items its share. Owner: the thread of the call. */
    long tookMillis;
    /** Workers that died while this item ran alone; set before the attempt runs. */
    int deathsBefore;
    /** Exception that the handler threw; null for none. Owner: the thread of the call. */
    Throwable thrown;
    /** One line on the failure, for the next attempt; empty for none. Owner: the thread of the call. */
    String detail = "";
    /** Text of the failure for the dead letter; empty when the detail says all, or it is tried again. */
    Optional<String> failure = Optional.empty();
    /** Name of the claim of its item; empty without one. Owner, of the next too: who holds the worker's lock. */
    String claim = "";
    /** Number of the batch that claims its item, in its partition. */
    long claimBatch;
    /** Lease, since {@link #startedNanos}, that the last notice of the claim covers. */
    long noticedNanos;
    /** Lease, since {@link #startedNanos}, that the committed claim covers. */
    private long heldNanos = Long.MAX_VALUE;
    /** Carries the trace to what the handler calls; set before the handler runs. */
    AttemptSpan span = AttemptSpan.NONE;
    /** Concurrent readers may each decode it, with equal results. */
    private volatile ItemDetails details;
    private final InstantSource clock;
    private final LongSupplier nanoClock;
    private final long maxNanos;
    /** First attempt of its call, with what all attempts of the call share; itself, unless it rides with another. */
    private Attempt call = this;
    /** In the order in which they were taken. */
    private List<Attempt> riders = List.of();
    /** Result of a call for several items. Owner: the thread of the call. */
    Outcome result;
    /** From here on, of the first attempt of a call. */
    private Thread thread;
    /** Duration of the lease since {@link #startedNanos}. */
    private long leaseNanos;
    private Interruption interruption = Interruption.NONE;
    private boolean over;

    Attempt(
            LaneItem item, SlotLease<LaneItem> slot, TenantPolicy policy, AttemptTimeout timeout, InstantSource clock,
            LongSupplier nanoClock, long startedNanos, long leaseMaxMillis) {
        super(item, slot, policy, timeout, startedNanos);
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.startedAtMillis = clock.millis();
        this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(timeout.millis());
        this.maxNanos = Math.max(leaseNanos, TimeUnit.MILLISECONDS.toNanos(leaseMaxMillis));
    }

    static Factory<LaneItem, Attempt> factory(InstantSource clock, LongSupplier nanoClock, Duration leaseMax) {
        return (item, slot, policy, timeout, nowNanos) -> {
            Attempt attempt =
                    new Attempt(item, slot, policy, timeout, clock, nanoClock, nowNanos, leaseMax.toMillis());
            attempt.deathsBefore = item.partition().deathsWith(item.offset());
            return attempt;
        };
    }

    /** Lets another attempt run in the call of this one; called before either begins, under the worker's lock. */
    void carry(Attempt rider) {
        if (riders.isEmpty()) {
            riders = new ArrayList<>();
        }
        riders.add(rider);
        rider.call = this;
    }

    /** Returns the attempts that run in its call beside it. */
    List<Attempt> riders() {
        return riders;
    }

    @Override
    public Instant endsAt() {
        synchronized (call) {
            return endsAt(nanoClock.getAsLong() - startedNanos);
        }
    }

    private Instant endsAt(long elapsedNanos) {
        return Instant.ofEpochMilli(clock.millis() + TimeUnit.NANOSECONDS.toMillis(call.leaseNanos - elapsedNanos));
    }

    @Override
    public Instant renew(Duration time) {
        synchronized (call) {
            if (call.over || call.interruption != Interruption.NONE) {
                throw new IllegalStateException("The lease has ended. Return; the item is attempted again.");
            }
            long elapsedNanos = nanoClock.getAsLong() - startedNanos;
            long leftNanos = Math.min(maxNanos - elapsedNanos, TimeUnit.NANOSECONDS.convert(time));
            call.leaseNanos = Math.max(call.leaseNanos, elapsedNanos + leftNanos);
            return endsAt(elapsedNanos);
        }
    }

    /** Sets the thread that runs the call, of which it is the first; called by that thread before the handler. */
    synchronized void begin(Thread runner) {
        thread = runner;
        if (interruption != Interruption.NONE) {
            thread.interrupt();
        }
    }

    /**
     * Returns the lease that its claim must cover, since {@link #startedNanos}. That of a call that ignores its end is
     * longer, until it is given up.
     */
    long coverNanos(long nowNanos) {
        synchronized (call) {
            return isDeaf(nowNanos) ? call.leaseNanos + STUCK_AFTER_NANOS + GIVE_UP_NANOS : call.leaseNanos;
        }
    }

    /** Returns when a claim that covers this lease is due, epoch milliseconds by a clock that shows now. */
    long dueMillis(long coverNanos, long nowMillis, long nowNanos) {
        return nowMillis + TimeUnit.NANOSECONDS.toMillis(startedNanos + coverNanos - nowNanos)
                + Claims.MARGIN_MILLIS;
    }

    /** Records that a committed claim covers the lease up to here, since {@link #startedNanos}. */
    void holdsTo(long nanos) {
        synchronized (call) {
            claimHeld();
            heldNanos = heldNanos == Long.MAX_VALUE ? nanos : Math.max(heldNanos, nanos);
        }
    }

    @Override
    protected boolean mayBeClaimed() {
        synchronized (call) {
            return super.mayBeClaimed() && call.interruption == Interruption.NONE && !call.over;
        }
    }

    /**
     * Interrupts the call when its lease has ended, or its renewal could not be recorded in time; returns whether it
     * did. What interrupts one attempt of a call ends the leases of all.
     */
    boolean interruptIfOverdue(long nowNanos) {
        synchronized (call) {
            long elapsedNanos = nowNanos - startedNanos;
            boolean overdue = (elapsedNanos >= call.leaseNanos || elapsedNanos - RENEWAL_NANOS >= heldNanos)
                    && interrupt(Interruption.LEASE_ENDED);
            if (overdue || !call.riders.isEmpty() && call.interruption != Interruption.NONE) {
                leaseEnded(nowNanos);
            }
            return overdue;
        }
    }

    /** Ends the lease now; returns whether this call ended it. */
    boolean interrupt(Interruption why) {
        synchronized (call) {
            if (call.over || call.interruption != Interruption.NONE) {
                return false;
            }
            call.interruption = why;
            if (call.thread != null) {
                call.thread.interrupt();
            }
            return true;
        }
    }

    boolean isInterrupted() {
        synchronized (call) {
            return call.interruption != Interruption.NONE;
        }
    }

    /** Returns where its thread is outside the JDK, innermost frame first, for a log line; empty before it has one. */
    String where() {
        return CallFrames.where(frames());
    }

    /**
     * Returns the frame that called {@code System.exit} when this call is in it: the exit and the worker would wait for
     * each other.
     */
    Optional<StackTraceElement> exitCaller() {
        return CallFrames.exitCaller(frames());
    }

    private Stream<StackTraceElement> frames() {
        synchronized (call) {
            return call.thread == null ? Stream.empty() : Arrays.stream(call.thread.getStackTrace());
        }
    }

    /** Marks its call as returned, of which it is the first: from now on the thread is not interrupted. */
    synchronized Interruption finish() {
        over = true;
        return interruption;
    }

    private ItemDetails details() {
        ItemDetails decoded = details;
        if (decoded == null) {
            decoded = DECODER.decode(item.read(), value(), item.record().headers(), item.origin());
            details = decoded;
        }
        return decoded;
    }

    @Override
    public String tenant() {
        return item.tenant();
    }

    @Override
    public String id() {
        ItemDetails decoded = details;
        return decoded != null ? decoded.id() : item.id();
    }

    @Override
    public String workload() {
        return item.read().workload();
    }

    @Override
    public Instant enqueuedAt() {
        return Instant.ofEpochMilli(item.times().enqueuedAtMillis());
    }

    @Override
    public int attempt() {
        return item.attempts() + 1;
    }

    @Override
    public String lane() {
        return item.lane().label();
    }

    @Override
    public String channel() {
        return details().channel();
    }

    @Override
    public String contentType() {
        return details().contentType();
    }

    @Override
    public Map<String, String> attributes() {
        return details().attributes();
    }

    @Override
    public byte[] payload() {
        return details().payload();
    }

    @Override
    public byte[] key() {
        byte[] key = item.record().key();
        return key == null ? NO_KEY : key;
    }

    @Override
    public boolean hasKey() {
        return item.record().key() != null;
    }

    @Override
    public byte[] value() {
        return item.record().value();
    }

    @Override
    public List<Header> headers() {
        Map<String, String> trace = span.headers();
        Stream<Header> stored = Arrays.stream(item.record().headers().toArray())
                .map(header -> new Header(header.key(), header.value()));
        return trace.isEmpty() ? stored.toList()
                : Stream.concat(stored.filter(header -> !TraceHeaders.isOne(header.name())), headersOf(trace)).toList();
    }

    private static Stream<Header> headersOf(Map<String, String> texts) {
        return texts.entrySet().stream()
                .map(entry -> new Header(entry.getKey(), entry.getValue().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public String position() {
        LaneItem at = item;
        // It has no offset yet if it started early.
        return (at.offset() < 0 ? at.origin() : at.record().topic() + "-" + at.record().partition() + "-" + at.offset())
                + "@" + at.owned().assignment;
    }

    @Override
    public Optional<Receiver> receiver() {
        return policy.receiver();
    }

    @Override
    public Lease lease() {
        return this;
    }
}
