package io.spillway.audit;

import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finding in the account of ingress, with its items: offsets that the routers have passed in no transaction of the
 * ledger, or in two. Kafka has committed a transaction in part, or somebody has set offsets of the routers' group.
 *
 * @param items those that are still in ingress, at most {@value #MOST_ITEMS}
 * @param count of all that are still in ingress
 */
public record IngressAudit(Finding finding, List<StoredItem> items, long count) {
    private static final int MOST_ITEMS = 100;

    /**
     * Audits ingress: the ledger, and what the routers' group has committed.
     *
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not respond
     */
    public static List<IngressAudit> of(Census census) {
        Map<Integer, Long> before = census.routed();
        var ingress = LedgerReader.read(census).ingress();
        return ingress.findings(before, census.routed(), census.nowMillis()).stream()
                .map(finding -> read(census, finding)).toList();
    }

    private static IngressAudit read(Census census, Finding finding) {
        Range range = finding.range();
        List<StoredItem> items = new ArrayList<>();
        long[] count = {0};
        census.forEachInIngress(range.partition(), range.from(), range.to(), item -> {
            if (items.size() < MOST_ITEMS) {
                items.add(item);
            }
            count[0]++;
        });
        return new IngressAudit(finding, items, count[0]);
    }
}
