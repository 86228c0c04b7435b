package io.spillway.router.ledger;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Finding;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.CommittedOffsetsCodec;
import io.spillway.kafka.view.StoredIngress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Account of ingress in a fold task, with what is not written yet. Owner: its {@link FoldProcessor}. */
final class IngressFold {
    private static final Logger LOG = LoggerFactory.getLogger(IngressFold.class);
    private static final long UNCHANGED = Long.MAX_VALUE;

    private IngressAccount account;
    private final long upTo;
    /** Offset of the first entry that is not written. */
    private long firstOffset = UNCHANGED;
    private long sinceMillis = UNCHANGED;

    /** Goes on with a stored account; null for a new one. Without one that cannot be read, only findings are lost. */
    IngressFold(byte[] stored) {
        StoredIngress read = StoredIngress.EMPTY;
        try {
            read = stored == null ? read : StoredIngress.decode(stored);
        } catch (IllegalArgumentException e) {
            LOG.error("The account of ingress begins again, because the stored one cannot be read: {}.",
                    Printable.of(e.getMessage()));
        }
        account = read.account();
        upTo = read.upTo();
    }

    /** @throws IllegalArgumentException if it is not an entry of committed offsets */
    void add(long offset, byte[] entry, long nowMillis) {
        if (offset < upTo) {
            return;
        }
        IngressAccount before = account;
        account = before.after(CommittedOffsetsCodec.decode(entry), nowMillis);
        if (account.findings().size() > before.findings().size()) {
            Finding newest = account.findings().getLast();
            LOG.error("Offsets {} to {} of partition {} of ingress are {} in the ledger: Kafka has committed a"
                            + " transaction of a router in part, or somebody has set offsets of its group."
                            + " Run spillway audit, which names the items.",
                    newest.range().from(), newest.range().to() - 1, newest.range().partition(),
                    newest.kind().label());
        }
        if (firstOffset == UNCHANGED) {
            firstOffset = offset;
            sinceMillis = nowMillis;
        }
    }

    /** Returns when it was first changed after it was written, epoch milliseconds; the largest number if it was not. */
    long sinceMillis() {
        return sinceMillis;
    }

    boolean isChanged() {
        return sinceMillis != UNCHANGED;
    }

    /** Returns the offset up to which what is written is complete, if all else is up to another. */
    long foldedTo(long othersTo) {
        return Math.min(firstOffset, othersTo);
    }

    /** Returns the account to be written, of the entries below an offset. */
    byte[] write(long nextOffset, long forgetBeforeMillis, long nowMillis) {
        account = account.forget(forgetBeforeMillis);
        firstOffset = UNCHANGED;
        sinceMillis = UNCHANGED;
        return new StoredIngress(account, nextOffset).encode(nowMillis);
    }
}
