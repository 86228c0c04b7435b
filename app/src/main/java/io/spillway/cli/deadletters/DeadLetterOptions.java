package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.core.item.Printable;
import io.spillway.deadletter.DeadLetterFilter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Option;

/** The options that choose dead letters. */
public final class DeadLetterOptions {
    private static final long MOST = 1_000_000_000_000L;

    @Option(names = "--tenant", paramLabel = "T", description = "of this tenant")
    private String tenant;

    @Option(names = "--reason", paramLabel = "REASON", description = "with this reason, for example attempts-used-up")
    private String reason;

    @Option(names = "--since", paramLabel = "TIME", description = "dead since then or later: a time such as 2026-11-21T08:00:00Z, epoch milliseconds, or how long ago such as 2h")
    private String since;

    @Option(names = "--until", paramLabel = "TIME", description = "dead before then; TIME as above")
    private String until;

    @Option(names = "--id", paramLabel = "ID", description = "with this id")
    private String id;

    @Option(names = "--limit", paramLabel = "N", description = "at most so many")
    private Long limit;

    boolean isAnySet() {
        return tenant != null || reason != null || since != null || until != null || id != null;
    }

    /** Checks the options; throws {@link CommandFailure} that names the wrong one. */
    DeadLetterFilter filter(long nowMillis) {
        if (tenant != null) {
            OptionValues.requireName("--tenant", tenant);
        }
        if (reason != null && !reason.matches("[a-z0-9-]{1,100}")) {
            throw CommandFailure.usage("--reason " + Printable.of(reason)
                    + ": must be a reason such as malformed or attempts-used-up; see: spillway dead-letters list");
        }
        OptionalLong sinceMillis = OptionValues.millisOf("--since", since, nowMillis);
        OptionalLong untilMillis = OptionValues.millisOf("--until", until, nowMillis);
        if (sinceMillis.isPresent() && untilMillis.isPresent() && untilMillis.getAsLong() <= sinceMillis.getAsLong()) {
            throw CommandFailure.usage("--until " + Printable.of(until) + ": must be after --since " + Printable.of(since));
        }
        return new DeadLetterFilter(
                Optional.ofNullable(tenant), Optional.ofNullable(reason), sinceMillis, untilMillis, Optional.ofNullable(id));
    }

    /**
     * How many at the most.
     *
     * @param absent when the option is not given
     * @param most   that it may be
     */
    long limit(long absent, long most) {
        if (limit == null) {
            return absent;
        }
        if (limit < 1 || limit > most) {
            throw CommandFailure.usage("--limit " + limit + ": must be 1 to " + most);
        }
        return limit;
    }

    /** As {@link #limit(long, long)}, without a bound of its own. */
    long limit() {
        return limit(Long.MAX_VALUE, MOST);
    }

    static Configuration withCluster(CommonOptions common) {
        return common.configurationWithCluster(topics -> List.of(
                topics.lane(Lane.DEAD_LETTER), topics.lane(Lane.DELAY), topics.policies(), topics.sweeps()));
    }

    /** Says so at once: when the process is being stopped, nothing is printed later. */
    static CommandFailure stopped(Printer printer, String what) {
        printer.problem("spillway: " + what);
        return CommandFailure.failed(what);
    }
}
