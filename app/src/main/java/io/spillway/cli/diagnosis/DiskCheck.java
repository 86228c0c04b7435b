package io.spillway.cli.diagnosis;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Check of the disk of the data directory, which has the state of a router and the records of an embedded Kafka. */
final class DiskCheck {
    private static final long GIB = 1L << 30;
    /** An embedded Kafka has segments of 256 MiB, and a router compacts its state in files of some 64 MiB. */
    private static final long LEAST_BYTES = GIB / 2;
    private static final long FEW_BYTES = 4 * GIB;

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
            FileStore disk = Files.getFileStore(data);
            return judge(data, disk.getUsableSpace(), disk.getTotalSpace());
        } catch (IOException e) {
            return Finding.skipped("disk", "The disk of " + data + " does not tell its free space.");
        }
    }

    static Finding judge(Path data, long freeBytes, long totalBytes) {
        String text = String.format(Locale.ROOT, "%.1f of %.1f GiB are free on the disk of %s.",
                (double) freeBytes / GIB, (double) totalBytes / GIB, data);
        String remedy = "Free some space. A full disk stops an embedded Kafka and the state of a router.";
        return freeBytes < LEAST_BYTES ? Finding.fail("disk", text, remedy)
                : freeBytes < FEW_BYTES ? Finding.warn("disk", text, remedy)
                : Finding.ok("disk", text);
    }
}
