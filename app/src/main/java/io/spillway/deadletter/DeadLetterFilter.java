package io.spillway.deadletter;

import io.spillway.core.item.DeadReason;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Filter of dead letters. All conditions that are set must apply.
 *
 * @param tenant      tenant, or {@link io.spillway.kafka.codec.LedgerOwner#NONE} for unreadable items
 * @param reason      label of a {@link DeadReason}, or one that another version wrote
 * @param sinceMillis earliest time of dead-lettering, epoch milliseconds, inclusive
 * @param untilMillis latest time of dead-lettering, epoch milliseconds, exclusive
 * @param ids         item ids, one of which it must have; several items may have the same one. Empty for any.
 * @param positions   positions as of {@link DeadLetter#position}, one of which it must have. Empty for any.
 */
public record DeadLetterFilter(
        Optional<String> tenant, Optional<String> reason, OptionalLong sinceMillis, OptionalLong untilMillis,
        Set<String> ids, Set<String> positions) {
    public DeadLetterFilter {
        ids = Set.copyOf(ids);
        positions = Set.copyOf(positions);
    }

    /** Returns a filter for all dead letters with an id. */
    public static DeadLetterFilter ofId(String id) {
        return new DeadLetterFilter(
                Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Set.of(id), Set.of());
    }

    /** Returns this filter for these positions; empty for any. */
    public DeadLetterFilter at(Set<String> wanted) {
        return new DeadLetterFilter(tenant, reason, sinceMillis, untilMillis, ids, wanted);
    }

    /** Returns whether it selects all dead letters. */
    public boolean isAll() {
        return tenant.isEmpty() && reason.isEmpty() && sinceMillis.isEmpty() && untilMillis.isEmpty() && ids.isEmpty()
                && positions.isEmpty();
    }

    /** Returns whether a dead letter matches. One without a time matches no time range. */
    public boolean matches(DeadLetter letter) {
        return (positions.isEmpty() || positions.contains(letter.position()))
                && reason.map(letter.reason()::equals).orElse(true)
                && isInTime(letter.deadAtMillis())
                && tenant.map(letter.owner()::equals).orElse(true)
                // Last, because it is the most expensive property.
                && (ids.isEmpty() || ids.contains(letter.id()));
    }

    private boolean isInTime(OptionalLong deadAtMillis) {
        if (sinceMillis.isEmpty() && untilMillis.isEmpty()) {
            return true;
        }
        return deadAtMillis.isPresent()
                && deadAtMillis.getAsLong() >= sinceMillis.orElse(Long.MIN_VALUE)
                && (untilMillis.isEmpty() || deadAtMillis.getAsLong() < untilMillis.getAsLong());
    }
}
