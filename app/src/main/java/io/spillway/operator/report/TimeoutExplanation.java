package io.spillway.operator.report;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.retry.AutoTimeout;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.TimeoutStatuses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Durations and timeouts of a tenant's attempts, one row for each worker: a worker learns from its own attempts alone,
 * and chooses its own timeout.
 *
 * @param policy   the tenant's policy
 * @param byWorker by the name of the worker, in that order
 */
public record TimeoutExplanation(TenantPolicy policy, Map<String, TimeoutStats> byWorker) {
    private static final int MAX_LISTED = 20;

    /** Returns the rows as JSON fields: all times in milliseconds. */
    public List<Map<String, Object>> fields() {
        return byWorker.entrySet().stream().map(worker -> fields(worker.getKey(), worker.getValue())).toList();
    }

    private static Map<String, Object> fields(String worker, TimeoutStats stats) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("worker", Printable.of(worker));
        fields.put("samples", stats.samples());
        fields.put("p50Millis", stats.p50Millis());
        fields.put("p99Millis", stats.p99Millis());
        fields.put("p999Millis", stats.p999Millis());
        fields.put("recentAttempts", stats.attempts());
        fields.put("recentTimeouts", stats.timedOut());
        fields.put("timeoutsInRow", stats.timeoutsInRow());
        fields.put("autoMillis", stats.autoMillis());
        fields.put("appliedMillis", stats.usualMillis());
        fields.put("unavailable", stats.unavailable());
        return fields;
    }

    /** Returns the sentences before the table. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        if (byWorker.isEmpty()) {
            lines.add("Timeout " + Durations.format(policy.timeoutMillis())
                    + (policy.timeoutAuto() ? " until workers have measured attempts" : "")
                    + ". No worker has published recent attempts of this tenant.");
            return lines;
        }
        byWorker.forEach((worker, stats) -> {
            if (stats.unavailable()) {
                lines.add("Its destination is unavailable in worker " + Printable.of(worker)
                        + ": nearly all of its items fail, so failures use up no attempts.");
            }
            if (stats.alwaysTimesOut()) {
                lines.add("All attempts time out in worker " + Printable.of(worker) + ": the latest "
                        + stats.timeoutsInRow() + ".");
            }
        });
        lines.add("Timeout " + (policy.timeoutAuto() ? "auto" : Durations.format(policy.timeoutMillis()))
                + ", and the durations of successful attempts, by worker:");
        return lines;
    }

    /** Returns the head of the table. */
    public static List<Object> head() {
        return List.of("worker", "samples", "p50", "p99", "p99.9", "timed out", "applies", "auto");
    }

    /** Returns the rows of the table, at most {@value #MAX_LISTED}. */
    public List<List<Object>> rows() {
        return byWorker.entrySet().stream().limit(MAX_LISTED)
                .map(worker -> row(worker.getKey(), worker.getValue())).toList();
    }

    private static List<Object> row(String worker, TimeoutStats stats) {
        double timedOut = stats.attempts() == 0 ? 0 : (double) stats.timedOut() / stats.attempts();
        return List.of(
                Printable.of(worker), stats.samples(), millis(stats.p50Millis()), millis(stats.p99Millis()),
                millis(stats.p999Millis()), String.format(Locale.ROOT, "%.1f%%", 100 * timedOut),
                Durations.format(stats.usualMillis()),
                stats.samples() < AutoTimeout.LEAST_SAMPLES
                        ? "after " + AutoTimeout.LEAST_SAMPLES : Durations.format(stats.autoMillis()));
    }

    private static String millis(double millis) {
        return millis == 0 ? "-" : String.format(Locale.ROOT, millis < 10 ? "%.1fms" : "%.0fms", millis);
    }

    /** Returns the explanation of a tenant from the published statuses. */
    public static TimeoutExplanation of(String tenant, TenantPolicy policy, TimeoutStatuses statuses) {
        return new TimeoutExplanation(policy, statuses.of(AttemptTimeouts.measuredAs(tenant, "", policy)));
    }
}
