package io.spillway.campaign;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * What a machine loses with its power: the end of each file that was not synced. Kafka syncs a log when a segment is
 * full and at a clean stop, and notes to which offset. The log of its metadata is synced at each write.
 */
final class LostWrites {
    private static final String METADATA = "__cluster_metadata";

    private LostWrites() {}

    /** Cuts the log of each partition of a broker that has ended somewhere behind what was synced. */
    static void cut(Path data, SplittableRandom random) throws IOException {
        Map<String, Long> synced = synced(data.resolve("recovery-point-offset-checkpoint"));
        try (Stream<Path> partitions = Files.list(data)) {
            for (Path partition : partitions.filter(Files::isDirectory).sorted().toList()) {
                String name = partition.getFileName().toString();
                Optional<Path> segment = name.startsWith(METADATA) ? Optional.empty() : lastSegment(partition);
                if (segment.isPresent()) {
                    cut(segment.get(), synced.getOrDefault(name, 0L), random);
                }
            }
        }
    }

    /** Returns the offset below which each partition is synced, from lines of topic, partition and offset. */
    private static Map<String, Long> synced(Path checkpoint) throws IOException {
        Map<String, Long> offsets = new HashMap<>();
        List<String> lines = Files.exists(checkpoint) ? Files.readAllLines(checkpoint) : List.of();
        lines.stream().map(line -> line.split(" ")).filter(words -> words.length == 3)
                .forEach(words -> offsets.put(words[0] + "-" + words[1], Long.parseLong(words[2])));
        return offsets;
    }

    private static Optional<Path> lastSegment(Path partition) throws IOException {
        try (Stream<Path> files = Files.list(partition)) {
            return files.filter(file -> file.toString().endsWith(".log")).max(Comparator.naturalOrder());
        }
    }

    private static void cut(Path segment, long syncedTo, SplittableRandom random) throws IOException {
        long kept = 0;
        try (FileRecords records = FileRecords.open(segment.toFile(), false)) {
            for (RecordBatch batch : records.batches()) {
                if (batch.lastOffset() >= syncedTo) {
                    break;
                }
                kept += batch.sizeInBytes();
            }
        }
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            if (file.length() > kept) {
                file.setLength(random.nextLong(kept, file.length() + 1));
            }
        }
    }
}
