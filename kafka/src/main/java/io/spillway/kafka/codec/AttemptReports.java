package io.spillway.kafka.codec;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.FirstStarts;
import io.spillway.core.retry.RetryKey;
import io.spillway.schema.AttemptCount;
import io.spillway.schema.AttemptReport;
import io.spillway.schema.FirstStart;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * Codec of workers' reports of their attempts. A report has at most {@value #MOST_COUNTS} counts and as many first
 * starts; more need further reports. Not thread-safe.
 */
public final class AttemptReports {
    /** With the longest names, these have less than {@value #MAX_BYTES} bytes. */
    public static final int MOST_COUNTS = 1_000;
    /** Largest report, in bytes. */
    public static final int MAX_BYTES = 1024 * 1024;

    /** Longest name of a destination: that of a host is shorter. */
    static final int MAX_DESTINATION_LENGTH = 256;
    private static final long MAX_ATTEMPTS = 1L << 40;

    /**
     * Content of a report.
     *
     * @param counts attempts that have ended
     * @param starts first starts of items' deliveries to subscriptions
     */
    public record Report(List<AttemptCounts> counts, List<FirstStarts.Start> starts) {}

    private final RecordCodec<AttemptReport> codec = new RecordCodec<>(new AttemptReport(), MAX_BYTES);

    /**
     * Returns an encoded report.
     *
     * @param report   at most {@link #MOST_COUNTS} of each; destinations with longer names are left out
     * @param atMillis current time, epoch milliseconds
     */
    public byte[] encode(String worker, Report report, long atMillis) {
        int most = Math.max(report.counts.size(), report.starts.size());
        if (most > MOST_COUNTS) {
            throw new IllegalArgumentException(most + " counts; at most " + MOST_COUNTS);
        }
        return codec.encode(new AttemptReport(worker, Instant.ofEpochMilli(atMillis),
                report.counts.stream().filter(count -> count.key().destination().length() <= MAX_DESTINATION_LENGTH)
                        .map(AttemptReports::encoded).toList(),
                report.starts.stream().map(start -> new FirstStart(start.item(), start.ageMillis())).toList()));
    }

    /**
     * Returns the content of a report.
     *
     * @throws IllegalArgumentException if the bytes are not a report with possible numbers and valid names
     */
    public Report decode(byte[] report) {
        GenericRecord record = codec.decode(report);
        List<AttemptCounts> counts = new ArrayList<>();
        for (Object count : (List<?>) record.get("counts")) {
            counts.add(decoded((GenericRecord) count));
        }
        List<FirstStarts.Start> starts = new ArrayList<>();
        for (Object start : (List<?>) record.get("firstStarts")) {
            GenericRecord read = (GenericRecord) start;
            starts.add(new FirstStarts.Start((Long) read.get("item"), Math.max(0, (Long) read.get("ageMillis"))));
        }
        return new Report(List.copyOf(counts), List.copyOf(starts));
    }

    private static AttemptCount encoded(AttemptCounts counts) {
        return new AttemptCount(counts.key().destination(), counts.key().tenant(), counts.partition(),
                counts.firsts(), counts.firstSuccesses(), counts.retries(), counts.retrySuccesses());
    }

    private static AttemptCounts decoded(GenericRecord count) {
        String destination = count.get("destination").toString();
        String tenant = count.get("tenant").toString();
        if (destination.length() > MAX_DESTINATION_LENGTH) {
            throw new IllegalArgumentException("the destination has " + destination.length()
                    + " characters; at most " + MAX_DESTINATION_LENGTH);
        }
        if (!tenant.isEmpty() && !ItemLimits.isName(tenant)) {
            throw new IllegalArgumentException("invalid tenant name");
        }
        int partition = (Integer) count.get("partition");
        if (partition < AttemptCounts.UNKNOWN) {
            throw new IllegalArgumentException("invalid partition " + partition);
        }
        return new AttemptCounts(new RetryKey(destination, tenant), partition, number(count, "firsts"),
                number(count, "firstSuccesses"), number(count, "retries"), number(count, "retrySuccesses"));
    }

    private static long number(GenericRecord count, String field) {
        long number = (Long) count.get(field);
        if (number < 0 || number > MAX_ATTEMPTS) {
            throw new IllegalArgumentException("invalid number of attempts " + number);
        }
        return number;
    }
}
