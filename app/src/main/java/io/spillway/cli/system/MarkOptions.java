package io.spillway.cli.system;

import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;

/** Options and messages that sweeps and cancels share. */
final class MarkOptions {
    private MarkOptions() {}

    /** Returns the target of the options, null for one that is not given. */
    static SweepTarget targetOf(boolean isCancel, String tenant, String workload, String itemId) {
        if (workload != null) {
            OptionValues.requireName("--workload", workload);
        }
        if (itemId != null) {
            requireId(itemId);
        }
        return new SweepTarget(isCancel, tenant, Objects.requireNonNullElse(workload, ""),
                Objects.requireNonNullElse(itemId, ""));
    }

    static void requireId(String id) {
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        if (!ItemLimits.isId(bytes, 0, bytes.length)) {
            throw CommandFailure.usage("--id " + Printable.of(id) + ": must be 1 to "
                    + ItemLimits.MAX_ID_LENGTH + " printable ASCII characters");
        }
    }

    /** Refuses a mark that the views of the instances would skip because the tenant has too many of its kind. */
    static void requireRoom(Sweeps known, SweepTarget target, int most, String remedy) {
        long others = known.all().values().stream().map(Sweeps.Mark::target)
                .filter(each -> each.isCancel() == target.isCancel() && each.tenant().equals(target.tenant()))
                .filter(each -> target.isCancel() || !each.workload().isEmpty())
                .count();
        boolean isNew = target.isCancel() || !target.workload().isEmpty();
        if (isNew && !known.contains(target.key()) && others >= most) {
            throw CommandFailure.failed(target.tenant() + " has " + others + " " + remedy + ".");
        }
    }

    /** Says so if a mark covers nothing, because the time of entry is not known for all that it would cover. */
    static void noteEntryTimes(Printer printer, Sweeps known, long beforeMillis) {
        long sinceMillis = known.entryTimesSinceMillis();
        if (sinceMillis == Long.MAX_VALUE) {
            printer.note("It covers nothing: the first router that starts records since when the broker's times of "
                    + "entry are known, and none has. Start a router, then repeat it with a later time.");
        } else if (beforeMillis <= sinceMillis) {
            printer.note("It covers nothing: the broker's times of entry are known since " + iso(sinceMillis)
                    + ", and it covers only items before that.");
        }
    }

    /** Returns the target for people. */
    static String text(SweepTarget target) {
        return target.tenant() + (target.workload().isEmpty() ? "" : ", workload " + target.workload());
    }

    static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
