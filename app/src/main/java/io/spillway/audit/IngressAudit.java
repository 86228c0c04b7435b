package io.spillway.audit;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;

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
     * @param nowMillis time of what is found first by this audit, epoch milliseconds
     * @throws KafkaFailure if the cluster does not respond
     */
    public static List<IngressAudit> of(Census census, long nowMillis) {
        Map<Integer, Long> before = census.routed();
        IngressAccount ingress = LedgerReader.read(census).ingress();
        return ingress.findings(before, census.routed(), nowMillis).stream()
                .map(finding -> read(census, finding)).toList();
    }

    /**
     * Takes findings as dealt with: the account of their partitions goes on without them.
     *
     * @throws KafkaFailure if they cannot be written to the ledger
     */
    public static void accept(QueueSettings queue, List<IngressAudit> findings, long nowMillis) {
        if (findings.isEmpty()) {
            return;
        }
        List<Range> ranges = findings.stream().map(each -> each.finding().range())
                .map(range -> new Range(range.partition(), IngressAccount.UNKNOWN, range.to())).toList();
        try (Producer<byte[], byte[]> producer = new KafkaClients(queue).producer()) {
            KafkaClients.store(producer, List.of(new LedgerWriter(new Topics(queue)).offsets(ranges, nowMillis)));
        }
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
