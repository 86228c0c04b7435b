package io.spillway.core.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Search for the known name that a misspelt one was most likely meant to be. */
public final class NearestName {
    private NearestName() {}

    /**
     * Returns the name with the fewest edits from a text: inserted, deleted, replaced or swapped neighbouring
     * characters. Of several it is the first in alphabetical order; empty if there are no names.
     */
    public static Optional<String> of(String text, Collection<String> names) {
        return names.stream().min(Comparator.<String>comparingInt(name -> edits(text, name))
                .thenComparing(Comparator.naturalOrder()));
    }

    /** Optimal string alignment with three rows: time is the product of the lengths. */
    private static int edits(String from, String to) {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = last[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(last[j], row[j - 1]));
                if (i > 1 && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
        }
        return row[to.length()];
    }
}
