package io.spillway.audit;

import io.spillway.config.SourceSettings;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Audit of one source: items that came from it by the ledger, and records of its topic that the routers have passed.
 *
 * @param least   by the ledger before the count
 * @param most    by the ledger after it; the same when nothing moves
 * @param records of the topic; empty if they cannot be counted
 * @param isRead  whether the cluster answered; if it did, what it has may still not be enough for a count
 * @param problem why they cannot be counted; empty if they were
 */
public record SourceAudit(
        String source, long least, long most, OptionalLong records, boolean isRead, String problem) {
    /** Returns whether each record that was passed is one item; empty if nobody can know. False if it was not read. */
    public Optional<Boolean> isCorrect() {
        return isRead && records.isEmpty() ? Optional.empty()
                : Optional.of(isRead && records.getAsLong() >= least && records.getAsLong() <= most);
    }

    /**
     * Audits sources, by name. Reads the ledger twice, and their topics in between.
     *
     * @throws KafkaFailure if the cluster does not respond
     */
    public static List<SourceAudit> of(Census census, Map<String, SourceSettings> sources) {
        Map<String, TenantBalance> before = LedgerReader.read(census).sources();
        Map<String, Count> counts = new LinkedHashMap<>();
        sources.forEach((name, source) -> counts.put(name, count(census, name, source)));
        Map<String, TenantBalance> after = LedgerReader.read(census).sources();
        return counts.entrySet().stream().map(entry -> new SourceAudit(
                entry.getKey(), accepted(before, entry.getKey()), accepted(after, entry.getKey()),
                entry.getValue().records(), entry.getValue().isRead(), entry.getValue().problem())).toList();
    }

    private record Count(OptionalLong records, boolean isRead, String problem) {}

    private static Count count(Census census, String name, SourceSettings source) {
        if (source.start().equals(SourceSettings.LATEST)) {
            return new Count(
                    OptionalLong.empty(), true, "it began at the latest record: nobody knows which one that was");
        }
        try {
            OptionalLong records =
                    census.passed(source.topic(), census.topics().sourceGroup(name), source.startMillis());
            return new Count(records, true, records.isPresent() ? "" : "the first records of its topic are gone");
        } catch (KafkaFailure e) {
            return new Count(OptionalLong.empty(), false, Printable.of(e.getMessage()));
        }
    }

    private static long accepted(Map<String, TenantBalance> sources, String name) {
        return sources.getOrDefault(name, TenantBalance.EMPTY).accepted();
    }
}
