package io.spillway.operator;

import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.ReplayRules;
import io.spillway.core.text.Printable;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.Discard;
import io.spillway.deadletter.Disposal;
import io.spillway.deadletter.Replay;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.Topics;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Replay or discard that an operator asks for.
 *
 * @param perSecond items of a replay that become due per second; without effect on a discard
 * @param limit     maximum number of dead letters
 * @param atMillis  time of the order, later of its {@link #begun}; the first item of a replay is due then; epoch
 *                  milliseconds
 */
public record DisposalOrder(Kind kind, DeadLetterFilter filter, double perSecond, long limit, long atMillis) {
    /** Rate of a replay without one. */
    public static final double DEFAULT_PER_SECOND = 100;
    static final double MAX_PER_SECOND = 1_000_000;
    /** Largest limit; {@link Long#MAX_VALUE} is none. */
    public static final long MAX_LIMIT = 1_000_000_000_000L;

    /** What is done with the dead letters. */
    public enum Kind {
        REPLAY("Replayed", "Would replay "), DISCARD("Discarded", "Would discard ");

        private final String done;
        private final String would;

        Kind(String done, String would) {
            this.done = done;
            this.would = would;
        }

        /** Returns the name as in JSON. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the past participle, such as {@code replayed}. */
        public String done() {
            return done.toLowerCase(Locale.ROOT);
        }
    }

    /** Throws {@link OperatorException} for a rate that is not allowed. */
    public DisposalOrder {
        if (!(perSecond > 0) || perSecond > MAX_PER_SECOND) {
            throw new OperatorException(
                    "--rate " + perSecond + ": must be above 0 and at most 1000000 items per second");
        }
        if (limit != Long.MAX_VALUE) {
            Inputs.requireRange("--limit", limit, 1, MAX_LIMIT, "");
        }
    }

    /** Returns a filter; throws {@link OperatorException} that names an invalid condition. */
    public static DeadLetterFilter filter(
            Optional<String> tenant, Optional<String> reason, Optional<String> since, Optional<String> until,
            Set<String> ids, long nowMillis) {
        tenant.ifPresent(name -> Inputs.requireOwner("--tenant", name));
        reason.filter(label -> DeadReason.of(label).isEmpty()).ifPresent(label -> {
            throw new OperatorException("--reason " + Printable.of(label) + ": must be one of "
                    + Arrays.stream(DeadReason.values()).map(DeadReason::label).collect(Collectors.joining(", ")));
        });
        OptionalLong sinceMillis = millis("--since", since, nowMillis);
        OptionalLong untilMillis = millis("--until", until, nowMillis);
        if (sinceMillis.isPresent() && untilMillis.isPresent() && untilMillis.getAsLong() <= sinceMillis.getAsLong()) {
            throw new OperatorException("--until " + Printable.of(until.orElseThrow()) + ": must be after --since "
                    + Printable.of(since.orElseThrow()));
        }
        return new DeadLetterFilter(tenant, reason, sinceMillis, untilMillis, ids, Set.of());
    }

    private static OptionalLong millis(String option, Optional<String> time, long nowMillis) {
        return time.map(text -> OptionalLong.of(Inputs.millisOf(option, text, nowMillis))).orElse(OptionalLong.empty());
    }

    Disposal disposal(Topics topics) {
        return switch (kind) {
            case REPLAY -> new Replay(topics, atMillis, perSecond);
            case DISCARD -> new Discard(topics);
        };
    }

    /** Returns what was asked for, for the action log. */
    public Map<String, Object> options() {
        Map<String, Object> options = new LinkedHashMap<>();
        filter.reason().ifPresent(reason -> options.put("reason", reason));
        filter.sinceMillis().ifPresent(millis -> options.put("since", Inputs.iso(millis)));
        filter.untilMillis().ifPresent(millis -> options.put("until", Inputs.iso(millis)));
        put(options, "ids", filter.ids());
        put(options, "positions", filter.positions());
        if (kind == Kind.REPLAY) {
            options.put("rate", perSecond);
        }
        if (limit != Long.MAX_VALUE) {
            options.put("limit", limit);
        }
        return options;
    }

    private static void put(Map<String, Object> options, String name, Set<String> chosen) {
        if (!chosen.isEmpty()) {
            options.put(name, chosen.size() == 1 ? chosen.iterator().next() : chosen.size());
        }
    }

    /**
     * Refuses positions of which not every one has a dead letter, and a replay that would last longer than an item can
     * be delayed.
     */
    public void requireFits(Survey survey) {
        int positions = filter.positions().size();
        if (positions > 0 && survey.matching() != positions) {
            throw OperatorException.conflict("Only " + survey.matching() + " of the " + positions + " selected dead "
                    + "letters are there. The others have been replayed or discarded, or have another position now. "
                    + "Nothing is changed. List the dead letters again and select from them.");
        }
        long count = survey.tally().count();
        if (kind == Kind.REPLAY && !ReplayRules.fits(count, perSecond)) {
            throw OperatorException.conflict("The last of " + Printable.count(count, "dead letter")
                    + " would be due in more than 30 days, the longest delay of an item. Give a higher --rate, or a "
                    + "--limit.");
        }
    }

    /**
     * Returns the order as it begins after its survey; refuses as {@link #requireFits} does. Before that it may have
     * waited for other runs and for the survey, and what would be due meanwhile would be due at once.
     */
    public DisposalOrder begun(Survey survey, long nowMillis) {
        requireFits(survey);
        return new DisposalOrder(kind, filter, perSecond, limit, nowMillis);
    }

    /** Returns what the order would do, as fields for JSON in a mutable map. */
    public Map<String, Object> plan(Survey survey) {
        DeadLetterCounts tally = survey.tally();
        Map<String, Object> plan = fields(survey, tally.count());
        plan.put(kind == Kind.REPLAY ? "wouldReplay" : "wouldDiscard", tally.count());
        plan.put("byTenantAndReason", DeadLetterFields.of(tally));
        if (kind == Kind.REPLAY) {
            plan.putAll(Map.of("matching", survey.matching(), "droppedBySweep", swept(tally)));
        }
        return plan;
    }

    /** Returns what the order has done, as fields for JSON in a mutable map. */
    public Map<String, Object> result(RunResult result, Survey survey) {
        Map<String, Object> fields = fields(survey, result.done());
        fields.putAll(Map.of(kind == Kind.REPLAY ? "replayed" : "discarded", result.done(),
                "stopped", result.stopped()));
        return fields;
    }

    private Map<String, Object> fields(Survey survey, long count) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (kind == Kind.REPLAY) {
            fields.put("cannotReplay", survey.unfit());
            fields.put("obstacles", survey.obstacles());
            fields.put("lastDueAt", Inputs.isoOrNull(lastDueMillis(count)));
        }
        return fields;
    }

    /** Returns what the order would do, in a sentence or two. */
    public String planned(Survey survey) {
        DeadLetterCounts tally = survey.tally();
        return kind.would + Printable.count(tally.count(), "dead letter") + until(tally.count()) + "."
                + (kind == Kind.DISCARD ? "" : " Dropped when due: " + swept(tally) + " by a sweep.");
    }

    /** Returns what the order has done, in a sentence. */
    public String done(long count) {
        return kind.done + " " + Printable.count(count, "dead letter") + until(count) + ".";
    }

    private static long swept(DeadLetterCounts tally) {
        return tally.rows().stream().mapToLong(DeadLetterCounts.Row::swept).sum();
    }

    private String until(long count) {
        OptionalLong lastDueMillis = lastDueMillis(count);
        return lastDueMillis.isPresent() ? ", the last due at " + Inputs.iso(lastDueMillis.getAsLong()) : "";
    }

    /** Returns when the last of so many is due; empty if there is none, or it would be too late. */
    private OptionalLong lastDueMillis(long count) {
        return kind == Kind.DISCARD || count == 0 || !ReplayRules.fits(count, perSecond)
                ? OptionalLong.empty()
                : OptionalLong.of(ReplayRules.dueMillis(atMillis, count - 1, perSecond));
    }
}
