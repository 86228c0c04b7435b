package io.spillway.cli.diagnosis;

import io.spillway.core.overload.DiskRoom;
import io.spillway.kafka.topics.Disk;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Check of the disks that hold items: of the data directory, which has the state of a router, and of the brokers. */
final class DiskCheck {
    private static final String BROKERS = "broker disks";

    private DiskCheck() {}

    static Finding run(Path data) {
        if (!Files.isDirectory(data)) {
            return Finding.skipped("disk", "No data directory " + data + " here: no process has run with it.");
        }
        if (!Files.isWritable(data)) {
            return Finding.fail("disk", "The data directory " + data + " is not writable for this user.",
                    "Change its permissions, or choose another with --data DIR.");
        }
        try {
            return judge("disk", Disk.of(data.toString(), data));
        } catch (UncheckedIOException e) {
            return Finding.skipped("disk", e.getMessage() + ".");
        }
    }

    /** Judges the broker with least room. */
    static Finding brokers(List<Disk> disks) {
        return disks.stream()
                .min(Comparator.comparingDouble(
                        disk -> (double) disk.freeBytes() / DiskRoom.keptBytes(disk.totalBytes())))
                .map(disk -> judge(BROKERS, disk))
                .orElseGet(() -> Finding.skipped(BROKERS, "The brokers do not tell their free space to this login, which"
                        + " needs DESCRIBE on the cluster for it."));
    }

    static Finding judge(String check, Disk disk) {
        long keptBytes = DiskRoom.keptBytes(disk.totalBytes());
        return disk.freeBytes() < keptBytes
                ? Finding.fail(check, disk + ": no more items are accepted.", Disk.REMEDY)
                : disk.freeBytes() < 2 * keptBytes ? Finding.warn(check, disk + ".", Disk.REMEDY)
                : Finding.ok(check, disk + ".");
    }
}
