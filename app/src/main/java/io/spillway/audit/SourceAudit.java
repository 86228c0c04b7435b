package io.spillway.audit;

import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Audit of one source: items that came from it by the ledger, and records of its topic that the routers have passed.
 *
 * @param least   by the ledger before the count
 * @param most    by the ledger after it; the same when nothing moves
 * @param records of the topic; empty if they cannot be counted
 * @param problem why they cannot be counted; empty if they were
 */
public record SourceAudit(String source, long least, long most, OptionalLong records, String problem) {
    /** Returns whether each record that was passed is one item, as far as the records can be counted. */
    public boolean isCorrect() {
        return records.isEmpty() || records.getAsLong() >= least && records.getAsLong() <= most;
    }

    /**
     * Audits the sources of a configuration, by name. Reads their topics.
     *
     * @throws KafkaFailure if the cluster does not respond
     */
    public static List<SourceAudit> of(Configuration configuration, InstantSource clock) {
        List<SourceAudit> audits = new ArrayList<>();
        configuration.router().sourcesByName().forEach((name, source) -> {
            try (Census census = new Census(configuration, clock, source.startMillis())) {
                audits.add(of(census, name, source));
            }
        });
        return audits;
    }

    private static SourceAudit of(Census census, String name, SourceSettings source) {
        long before = accepted(census, name);
        OptionalLong records = OptionalLong.empty();
        String problem = "";
        try {
            if (source.start().equals(SourceSettings.LATEST)) {
                problem = "it began at the latest record: nobody knows which one that was";
            } else {
                records = census.passed(source.topic(), census.topics().sourceGroup(name));
                problem = records.isPresent() ? "" : "the first records of its topic are gone";
            }
        } catch (KafkaFailure e) {
            problem = Printable.of(e.getMessage());
        }
        return new SourceAudit(name, before, accepted(census, name), records, problem);
    }

    private static long accepted(Census census, String source) {
        Map<String, TenantBalance> sources = LedgerReader.read(census).sources();
        return sources.getOrDefault(source, TenantBalance.EMPTY).accepted();
    }
}
