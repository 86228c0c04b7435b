package io.spillway.cli.system;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Printable;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.runtime.CompactedTopics;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway cancel}: drops waiting items of a tenant. */
@Command(name = "cancel", description = {
    "Drops the waiting items of a tenant that entered before a time, in every lane and in delay, also those that were "
            + "attempted. Without --yes it only prints how many wait, and exits with 2.",
    "Not cancelled: attempts that run (their retries are), dead letters, and items that enter later.",
    "An item is dropped, with the reason cancelled, when it is routed, when its delay is over, or when a worker that "
            + "has read it looks at it, at most 10 s later. A cancel is in force for 31 days, one more than the "
            + "longest delay. At most " + Sweeps.MAX_CANCELS + " cancels of a tenant are in force."
}, footer = {
    "  spillway cancel --tenant acme --workload mail --yes",
    "  spillway cancel --tenant acme --before 2h",
    "  spillway cancel --tenant acme --id order-17 --yes"
})
public final class CancelCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", required = true, paramLabel = "T", description = "Tenant of the items.")
    private String tenant;

    @Option(names = "--workload", paramLabel = "W", description = "Only items of this workload.")
    private String workload;

    @Option(names = "--id", paramLabel = "ID", description = "Only items with this id.")
    private String id;

    @Option(names = "--before", paramLabel = "TIME",
            description = "Only items that entered before this time, by the broker's clock: ISO 8601 with a time "
                    + "zone, epoch milliseconds, or a duration before now such as 2h. Default: now.")
    private String before;

    @Option(names = "--yes", description = "Cancel them. Without it nothing is changed.")
    private boolean yes;

    @Override
    public void run() {
        OptionValues.requireName("--tenant", tenant);
        SweepTarget target = MarkOptions.targetOf(true, tenant, workload, id);
        long nowMillis = common.clock().millis();
        long beforeMillis = OptionValues.millisOf("--before", before, nowMillis).orElse(nowMillis);
        if (beforeMillis > nowMillis) {
            throw CommandFailure.usage("--before " + before + ": must not be in the future");
        }
        Configuration configuration = common.configurationWithLedger();
        String topic = new Topics(configuration.queue()).sweeps();
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            Sweeps known = topics.read(topic, new Sweeps());
            known.all().forEach((key, mark) -> {
                if (!mark.isInForce(nowMillis)) {
                    known.remove(key);
                    if (yes) {
                        topics.write(topic, key, null);
                    }
                }
            });
            MarkOptions.requireRoom(known, target, Sweeps.MAX_CANCELS,
                    "cancels in force. Cancel a workload or the whole tenant");
            long waiting = waiting(configuration, target, beforeMillis);
            MarkOptions.noteEntryTimes(common.printer(), known, beforeMillis);
            if (yes) {
                topics.write(topic, target.key(), Sweeps.encode(
                        new Sweeps.Mark(target, "", new Sweep(beforeMillis, nowMillis))));
            }
            print(target, beforeMillis, waiting);
        }
    }

    private void print(SweepTarget target, long beforeMillis, long waiting) {
        String what = Printer.count(waiting, "waiting item") + " of " + MarkOptions.text(target)
                + (id == null ? "" : ", id " + Printable.of(id)) + " that entered before "
                + MarkOptions.iso(beforeMillis);
        common.printer().result(
                Map.of("cancelled", yes, "waiting", waiting, "tenant", tenant, "workload", target.workload(),
                        "itemId", target.itemId(), "before", MarkOptions.iso(beforeMillis)),
                yes ? "Cancelled " + what + ". Those of them that run now are not stopped." : what + ".");
        if (!yes) {
            throw CommandFailure.usage("Nothing is cancelled yet. Give --yes to drop them permanently.");
        }
    }

    /** Counts what the cancel covers now. It reads all waiting items. */
    private long waiting(Configuration configuration, SweepTarget target, long beforeMillis) {
        AtomicLong waiting = new AtomicLong();
        try (Census census = new Census(configuration, common.clock())) {
            Consumer<StoredItem> count = item -> {
                if (isCovered(item, target, beforeMillis)) {
                    waiting.incrementAndGet();
                }
            };
            census.forEachInIngress(false, count);
            census.forEach(false, count);
        }
        return waiting.get();
    }

    private static boolean isCovered(StoredItem item, SweepTarget target, long beforeMillis) {
        return item.isWaiting() && (item.place() == ItemState.OUTSIDE || ItemState.WAITING.contains(item.place()))
                && item.timestampMillis() < beforeMillis
                && item.reading() instanceof ParsedRecord.Item read && read.tenant().equals(target.tenant())
                && (target.workload().isEmpty() || target.workload().equals(read.workload()))
                && (target.itemId().isEmpty() || target.itemId().equals(item.id()));
    }
}
