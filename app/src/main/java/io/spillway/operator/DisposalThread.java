package io.spillway.operator;

import io.spillway.core.text.Printable;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.SupersededException;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.KafkaFailure;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One replay or discard with its thread. Its fields are written by that thread and may be read by others. */
final class DisposalThread implements ScanListener {
    static final Logger LOG = LoggerFactory.getLogger(DisposalThread.class);
    private static final long LOOK_MILLIS = 100;

    /** States of a run; the last three are ends. */
    private enum State { COUNTING, RUNNING, DONE, CANCELLED, FAILED }

    private final String id;
    private final DisposalOrder order;
    private final String by;
    private final OperatorQueue queue;
    private final Semaphore turn;
    private final BiConsumer<DisposalThread, String> record;
    private final Thread thread;
    private volatile String stopped = "";
    private volatile State state = State.COUNTING;
    private volatile long selected;
    private volatile long done;
    private volatile String result = "";

    /**
     * Creates a run that {@link #start} starts.
     *
     * @param turn   taken while it reads and writes
     * @param record receives the result in a sentence
     */
    DisposalThread(
            String id, DisposalOrder order, String by, OperatorQueue queue, Semaphore turn,
            BiConsumer<DisposalThread, String> record) {
        this.id = id;
        this.order = order;
        this.by = by;
        this.queue = queue;
        this.turn = turn;
        this.record = record;
        this.thread = Thread.ofPlatform().daemon().name("run-" + id).unstarted(this::run);
    }

    String id() {
        return id;
    }

    String by() {
        return by;
    }

    DisposalOrder order() {
        return order;
    }

    void start() {
        thread.start();
    }

    /** Asks it to stop; {@code why} becomes part of the result. */
    void stop(String why) {
        stopped = why;
    }

    boolean isEnded() {
        return state.compareTo(State.DONE) >= 0;
    }

    /** Waits for its end, at most so long. */
    void join(long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isStopped() {
        return !stopped.isEmpty();
    }

    @Override
    public void progressed(String what, long finished, long total) {
        if (state == State.RUNNING) {
            done = finished;
        }
    }

    /** Returns its progress, as fields for JSON. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("kind", order.kind().label());
        fields.put("state", state.name().toLowerCase(Locale.ROOT));
        fields.put("selected", selected);
        fields.put("done", done);
        fields.put("rate", order.kind() == DisposalOrder.Kind.REPLAY ? order.perSecond() : null);
        fields.put("startedAt", Inputs.iso(order.atMillis()));
        fields.put("by", by);
        fields.put("filter", order.options());
        fields.put("tenant", order.filter().tenant().orElse(null));
        fields.put("result", result.isEmpty() ? null : result);
        return fields;
    }

    private void run() {
        try {
            if (awaitTurn()) {
                try {
                    queue.run(order, this::surveyed, this).ifPresentOrElse(this::ended, this::endedBefore);
                } finally {
                    turn.release();
                }
            } else {
                endedBefore();
            }
        } catch (OperatorException e) {
            end(State.FAILED, e.getMessage());
        } catch (SupersededException e) {
            end(State.FAILED, order.done(e.done()) + " Stopped: " + e.getMessage() + ".");
        } catch (KafkaFailure e) {
            end(State.FAILED, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end(State.FAILED, "Interrupted.");
        } catch (RuntimeException | Error e) {
            LOG.error("Internal error in run {}. Please report this stack trace.", id, e);
            end(State.FAILED, "Internal error; see the gateway's log.");
        }
    }

    private boolean awaitTurn() throws InterruptedException {
        while (!isStopped()) {
            if (turn.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                return true;
            }
        }
        return false;
    }

    private void surveyed(Survey survey) {
        order.requireFits(survey);
        selected = survey.tally().count();
        state = State.RUNNING;
    }

    private void ended(RunResult ended) {
        done = ended.done();
        if (ended.stopped()) {
            end(State.CANCELLED, order.done(ended.done()) + " Stopped after " + ended.done() + " of " + selected
                    + ": " + stopped + ".");
        } else {
            end(State.DONE, order.done(ended.done()));
        }
    }

    private void endedBefore() {
        end(State.CANCELLED, "Nothing was changed: " + stopped + ".");
    }

    private void end(State end, String sentence) {
        result = Optional.ofNullable(sentence).map(Printable::onOneLine).orElse("");
        try {
            // First the log: who sees the end finds it there.
            record.accept(this, "Run " + id + ": " + result);
        } finally {
            state = end;
        }
        LOG.info("Run {} by {} ended: {}", id, by, Printable.of(result));
    }
}
