package io.spillway.deadletter;

import io.spillway.core.item.DeadReason;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which dead letters are meant: those to which everything applies that is set.
 *
 * @param tenant      whose; does not match a dead letter that cannot be read as an item, since it has no tenant
 * @param reason      the label of a {@link DeadReason}, or of one that another version wrote
 * @param sinceMillis dead at this time or later, epoch milliseconds
 * @param untilMillis dead before this time, epoch milliseconds
 * @param id          the item's id; ids may repeat
 */
public record DeadLetterFilter(
        Optional<String> tenant,
        Optional<String> reason,
        OptionalLong sinceMillis,
        OptionalLong untilMillis,
        Optional<String> id) {
    /** Every dead letter. */
    public static final DeadLetterFilter ALL = new DeadLetterFilter(
            Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.empty());

    /** Every dead letter with this id. */
    public static DeadLetterFilter ofId(String id) {
        return new DeadLetterFilter(
                Optional.empty(), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Optional.of(id));
    }

    /** Whether a dead letter is one of those meant. One that does not say since when it is dead is in no stretch of time. */
    public boolean matches(DeadLetterFacts letter) {
        return reason.map(letter.reason()::equals).orElse(true)
                && isInTime(letter.deadAtMillis())
                && (tenant.isEmpty() || tenant.equals(letter.tenant()))
                // Last, since it is the dearest to ask for.
                && (id.isEmpty() || id.get().equals(letter.id()));
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
