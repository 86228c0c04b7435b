package io.spillway.producer;

import io.spillway.core.item.ItemLimits;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntPredicate;

/**
 * Checks of an item's fields. Each returns its text, and throws {@link NullPointerException} for null and
 * {@link IllegalArgumentException} with what is allowed for any other text that the router would dead-letter.
 */
final class ItemChecks {
    private ItemChecks() {}

    /** @throws IllegalStateException if a field is null; {@code why} says what needs it */
    static void requireSet(String field, Object value, String why) {
        if (value == null) {
            throw new IllegalStateException("The item has no " + field + ". Set it: " + why);
        }
    }

    static String requireWorkload(String workload) {
        return workload.isEmpty() ? workload : requireName("workload", workload);
    }

    static String requireName(String field, String name) {
        return require(field, name, ItemLimits.MAX_NAME_LENGTH, c -> ItemLimits.isName(Character.toString(c)),
                ItemLimits.NAME_ALLOWED);
    }

    static String requireId(String field, String id) {
        return requirePrintable(field, id, ItemLimits.MAX_ID_LENGTH, "1 to " + ItemLimits.MAX_ID_LENGTH);
    }

    static String requirePrintable(String field, String text, int maxLength, String lengths) {
        return require(field, text, maxLength, c -> c >= ' ' && c <= '~', lengths + " printable ASCII characters");
    }

    /** Reports a wrong character by its code point, because the message may be logged and the text is untrusted. */
    private static String require(String field, String text, int maxLength, IntPredicate isAllowed, String allowed) {
        Objects.requireNonNull(text, field);
        if (text.isEmpty() || text.length() > maxLength) {
            throw new IllegalArgumentException(field + " has " + text.length() + " characters. Allowed: " + allowed);
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isAllowed.test(text.charAt(i))) {
                throw new IllegalArgumentException(
                        String.format(Locale.ROOT,
                                "%s has U+%04X at index %d. Allowed: %s",
                                field, (int) text.charAt(i), i, allowed));
            }
        }
        return text;
    }
}
