package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemLimits;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.header.Headers;

/**
 * Tenant whose balance includes a record, also if the record exceeds a size limit and was dead-lettered for it. It
 * depends only on bytes that no component changes, so all components agree on it.
 *
 * <p>Immutable and thread-safe.
 */
public final class LedgerOwner {
    /** Owner of records without a readable tenant. No tenant can have this name. */
    public static final String NONE = "(none)";
    /** Owner of the summed balances of tenants that were forgotten because they were idle. */
    public static final String IDLE = "(idle)";

    /** Name of the account of ingress, which has no items. No tenant can have this name. */
    public static final String INGRESS = "(ingress)";

    private static final String DEAD = "(dead:";
    private static final String DROPPED = "(dropped:";
    private static final String SOURCE = "(source:";
    private static final Map<DeadReason, String> OF_DEAD = Arrays.stream(DeadReason.values())
            .collect(Collectors.toUnmodifiableMap(Function.identity(), reason -> DEAD + reason.label() + ")"));
    private static final Map<DropReason, String> OF_DROPPED = Arrays.stream(DropReason.values())
            .collect(Collectors.toUnmodifiableMap(Function.identity(), reason -> DROPPED + reason.label() + ")"));
    private static final Map<String, DeadReason> DEAD_REASONS = Arrays.stream(DeadReason.values())
            .collect(Collectors.toUnmodifiableMap(LedgerOwner::of, Function.identity()));
    private static final Map<String, DropReason> DROP_REASONS = Arrays.stream(DropReason.values())
            .collect(Collectors.toUnmodifiableMap(LedgerOwner::of, Function.identity()));

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE, Integer.MAX_VALUE);

    /** Returns the name under which the ledger also counts the dead letters of all tenants with this reason. */
    public static String of(DeadReason reason) {
        return OF_DEAD.get(reason);
    }

    /** Returns the name under which the ledger also counts the items of all tenants dropped for this reason. */
    public static String of(DropReason reason) {
        return OF_DROPPED.get(reason);
    }

    /** Returns the reason whose dead letters are counted under a name; empty if it is a tenant's. */
    public static Optional<DeadReason> deadReason(String name) {
        return Optional.ofNullable(DEAD_REASONS.get(name));
    }

    /** Returns the reason whose dropped items are counted under a name; empty if it is another's. */
    public static Optional<DropReason> dropReason(String name) {
        return Optional.ofNullable(DROP_REASONS.get(name));
    }

    /** Returns the name under which the ledger also counts the items of all tenants that came from this source. */
    public static String ofSource(String source) {
        return SOURCE + source + ")";
    }

    /** Returns the source whose items are counted under a name; empty if it is none's. */
    public static Optional<String> source(String name) {
        return isSource(name) && name.endsWith(")")
                ? Optional.of(name.substring(SOURCE.length(), name.length() - 1)).filter(ItemLimits::isName)
                : Optional.empty();
    }

    /** Returns whether what is counted under a name is counted for its tenant too: a known reason, or a source. */
    public static boolean isAlsoCounted(String name) {
        return DEAD_REASONS.containsKey(name) || DROP_REASONS.containsKey(name) || source(name).isPresent();
    }

    /** Returns whether a balance is no tenant's: its items are counted for their tenants, or it has none. */
    public static boolean isNoTenant(String name) {
        return name.equals(INGRESS) || isAlsoCounted(name);
    }

    /** Returns whether a name of the ledger is that of a source, and no tenant's. */
    static boolean isSource(String name) {
        return name.startsWith(SOURCE);
    }

    /** Returns whether a name of the ledger is that of a reason, and no tenant's. */
    static boolean isReason(String name) {
        return name.startsWith(DEAD) || name.startsWith(DROPPED);
    }

    /** Returns the tenant, or {@link #NONE}. Key and value may be null. */
    public String of(byte[] key, byte[] value, Headers headers) {
        return of(reader.read(key, value, headers, 0));
    }

    /**
     * Returns the owner of a dead letter that was read without limits. One without a valid tenant stays that of
     * {@link #NONE}, also if this release could read its tenant.
     */
    public static String ofDeadLetter(ParsedRecord read, Headers headers) {
        boolean hadNone = ItemHeaders.text(headers, ItemHeaders.DEAD_REASON)
                .filter(DeadReason.BAD_TENANT.label()::equals).isPresent();
        return hadNone ? NONE : of(read);
    }

    /** Returns the tenant of a record that was read without limits, or {@link #NONE}. */
    public static String of(ParsedRecord read) {
        return switch (read) {
            case ParsedRecord.Item item -> item.tenant();
            case ParsedRecord.Unreadable bad -> bad.tenant().isEmpty() ? NONE : bad.tenant();
        };
    }
}
