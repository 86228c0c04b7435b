package io.spillway.deadletter;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Position between two pages of dead letters.
 *
 * @param below offset by partition: the next page begins below it. Partitions that are not named are at their start.
 */
public record DeadLetterCursor(SortedMap<Integer, Long> below) {
    private static final int MAX_LENGTH = 12_000;
    private static final Pattern POSITION = Pattern.compile("([0-9]{1,9})-([0-9]{1,18})");

    public DeadLetterCursor {
        below = Collections.unmodifiableSortedMap(new TreeMap<>(below));
    }

    /**
     * Returns the cursor of a text that {@link #text} returned.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static DeadLetterCursor parse(String text) {
        SortedMap<Integer, Long> below = new TreeMap<>();
        for (String position : text.length() > MAX_LENGTH ? new String[] {""} : text.split("\\.", -1)) {
            Matcher parts = POSITION.matcher(position);
            if (!parts.matches()) {
                throw new IllegalArgumentException("cursor: must be the cursor of another page");
            }
            below.put(Integer.parseInt(parts.group(1)), Long.parseLong(parts.group(2)));
        }
        return new DeadLetterCursor(below);
    }

    /** Returns the cursor as digits, dashes and dots. */
    public String text() {
        return below.entrySet().stream()
                .map((Map.Entry<Integer, Long> position) -> position.getKey() + "-" + position.getValue())
                .collect(Collectors.joining("."));
    }
}
