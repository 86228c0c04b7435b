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
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One replay or discard. Its fields are written by the thread that runs it, and may be read by others. */
final class DisposalTask implements Runnable, ScanListener {
    private static final Logger LOG = LoggerFactory.getLogger(DisposalTask.class);

    /** States of a run; the last three are ends. */
    private enum State { COUNTING, RUNNING, DONE, CANCELLED, FAILED }

    private final String id;
    private final DisposalOrder order;
    private final String by;
    private final OperatorQueue queue;
    private final ActionRecorder recorder;
    private final AtomicBoolean isTaken = new AtomicBoolean();
    private volatile DisposalOrder begun;
    private volatile String stopped = "";
    private volatile State state = State.COUNTING;
    private volatile long selected;
    private volatile long done;
    private volatile String result = "";

    DisposalTask(String id, DisposalOrder order, String by, OperatorQueue queue, ActionRecorder recorder) {
        this.id = id;
        this.order = order;
        this.begun = order;
        this.by = by;
        this.queue = queue;
        this.recorder = recorder;
    }

    String id() {
        return id;
    }

    /** Asks it to stop; {@code why} becomes part of the result. */
    void stop(String why) {
        stopped = why;
    }

    /** Asks it to stop, and ends it at once if it waits for others. */
    void cancel(String why) {
        stop(why);
        if (isTaken.compareAndSet(false, true)) {
            endedBefore();
        }
    }

    boolean isEnded() {
        return state.compareTo(State.DONE) >= 0;
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

    @Override
    public void run() {
        if (!isTaken.compareAndSet(false, true)) {
            return;
        }
        try {
            if (isStopped()) {
                endedBefore();
            } else {
                queue.run(order, this::surveyed, this).ifPresentOrElse(this::ended, this::endedBefore);
            }
        } catch (OperatorException e) {
            end(State.FAILED, e.getMessage());
        } catch (SupersededException e) {
            end(State.FAILED, begun.done(e.done()) + " Stopped: " + e.getMessage() + ".");
        } catch (KafkaFailure e) {
            end(State.FAILED, e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("Internal error in run {}. Please report this stack trace.", id, e);
            end(State.FAILED, "Internal error; see the gateway's log.");
        }
    }

    /** Writes to the action log what it did. */
    void record(String sentence) {
        try (CompactedStore store = queue.open()) {
            recorder.record(store, by, order.kind().label(), order.filter().tenant().orElse(""), order.options(),
                    sentence);
        } catch (KafkaFailure e) {
            LOG.warn("Not in the action log: {} by {}: {} ({})", order.kind().label(), by, sentence,
                    Printable.onOneLine(e.getMessage()));
        }
    }

    private DisposalOrder surveyed(Survey survey) {
        begun = order.begun(survey, recorder.clock().millis());
        selected = survey.tally().count();
        state = State.RUNNING;
        return begun;
    }

    private void ended(RunResult ended) {
        done = ended.done();
        if (ended.stopped()) {
            end(State.CANCELLED, begun.done(ended.done()) + " Stopped after " + ended.done() + " of " + selected
                    + ": " + stopped + ".");
        } else {
            end(State.DONE, begun.done(ended.done()));
        }
    }

    private void endedBefore() {
        end(State.CANCELLED, "Nothing was changed: " + stopped + ".");
    }

    private void end(State end, String sentence) {
        result = Optional.ofNullable(sentence).map(Printable::onOneLine).orElse("");
        try {
            // First the log: who sees the end finds it there.
            record("Run " + id + ": " + result);
        } finally {
            state = end;
        }
        LOG.info("Run {} by {} ended: {}", id, by, Printable.of(result));
    }
}
