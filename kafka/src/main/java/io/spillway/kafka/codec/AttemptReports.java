package io.spillway.kafka.codec;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryKey;
import io.spillway.schema.AttemptCount;
import io.spillway.schema.AttemptReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/**
 * Codec of workers' reports of their attempts. A report has at most {@value #MOST_COUNTS} counts; more counts need
 * further reports. Not thread-safe.
 */
public final class AttemptReports {
    /** With the longest names, these have less than {@value #MAX_BYTES} bytes. */
    public static final int MOST_COUNTS = 1_000;
    /** Largest report, in bytes. */
    public static final int MAX_BYTES = 1024 * 1024;

    /** Longest name of a destination: that of a host is shorter. */
    static final int MAX_DESTINATION_LENGTH = 256;
    private static final long MAX_ATTEMPTS = 1L << 40;

    private final RecordCodec<AttemptReport> codec = new RecordCodec<>(new AttemptReport(), MAX_BYTES);

    /**
     * Returns an encoded report.
     *
     * @param counts   at most {@link #MOST_COUNTS}; destinations with longer names are left out
     * @param atMillis current time, epoch milliseconds
     */
    public byte[] encode(String worker, List<AttemptCounts> counts, long atMillis) {
        if (counts.size() > MOST_COUNTS) {
            throw new IllegalArgumentException(counts.size() + " counts; at most " + MOST_COUNTS);
        }
        return codec.encode(new AttemptReport(worker, Instant.ofEpochMilli(atMillis),
                counts.stream().filter(count -> count.key().destination().length() <= MAX_DESTINATION_LENGTH)
                        .map(AttemptReports::encoded).toList()));
    }

    /**
     * Returns the counts of a report.
     *
     * @throws IllegalArgumentException if the bytes are not a report with possible numbers and valid names
     */
    public List<AttemptCounts> decode(byte[] report) {
        List<AttemptCounts> counts = new ArrayList<>();
        for (Object count : (List<?>) codec.decode(report).get("counts")) {
            counts.add(decoded((GenericRecord) count));
        }
        return List.copyOf(counts);
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
