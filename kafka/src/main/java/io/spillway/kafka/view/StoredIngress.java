package io.spillway.kafka.view;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.ledger.IngressAccount.Kind;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.TenantDepth;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * Account of ingress, as the router stores and publishes it: a balance without items under the name {@link
 * LedgerOwner#INGRESS}, so that a version which does not know it can read it. Its waiting items are the next offset by
 * partition; those that entered are the ends of the findings, each under its kind, partition, first offset and time.
 *
 * @param upTo offset of the ledger below which all entries are included
 */
public record StoredIngress(IngressAccount account, long upTo) {
    /** Nothing is included. */
    public static final StoredIngress EMPTY = new StoredIngress(IngressAccount.EMPTY, 0);

    private static final RecordCodec<TenantDepth> CODEC = new RecordCodec<>(new TenantDepth());

    /** Returns the encoded account. */
    public byte[] encode(long nowMillis) {
        Map<String, Long> next = new HashMap<>();
        account.next().forEach((partition, offset) -> next.put(partition.toString(), offset));
        Map<String, Long> findings = new HashMap<>();
        account.findings().forEach(finding -> findings.put(
                finding.kind().label() + " " + finding.range().partition() + " "
                        + finding.range().from() + " " + finding.atMillis(),
                finding.range().to()));
        Instant now = Instant.ofEpochMilli(nowMillis);
        return CODEC.encode(new TenantDepth(
                LedgerOwner.INGRESS, 0L, next, findings, 0L, 0L, 0L, 0.0, 0.0, now, upTo, 0.0, 0.0, now));
    }

    /** @throws IllegalArgumentException if the bytes are not an encoded account */
    public static StoredIngress decode(byte[] bytes) {
        GenericRecord record = CODEC.decode(bytes);
        Map<Integer, Long> next = new HashMap<>();
        ((Map<?, ?>) record.get("waiting")).forEach((partition, offset) ->
                next.put(Integer.valueOf(partition.toString()), (Long) offset));
        List<Finding> findings = new ArrayList<>();
        ((Map<?, ?>) record.get("entered")).forEach((key, to) -> {
            String[] words = key.toString().split(" ", -1);
            if (words.length != 4) {
                throw new IllegalArgumentException("invalid finding");
            }
            findings.add(new Finding(Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
                    new Range(Integer.parseInt(words[1]), Long.parseLong(words[2]), (Long) to),
                    Long.parseLong(words[3])));
        });
        findings.sort((one, other) -> Long.compare(one.atMillis(), other.atMillis()));
        return new StoredIngress(new IngressAccount(next, findings), (Long) record.get("upTo"));
    }
}
