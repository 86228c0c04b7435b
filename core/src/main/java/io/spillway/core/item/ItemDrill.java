package io.spillway.core.item;

import java.util.Locale;
import java.util.Optional;

/**
 * What an item of a drill does instead of being handled: an attempt takes some time and succeeds, but one that begins
 * within a window has a fault. Times are those of the worker's clock, so a drill ends by itself.
 *
 * @param handlingMillis duration of an attempt, 0 to {@value #MAX_MILLIS}
 * @param faultMillis    duration of an attempt that begins in the window, in the same range
 * @param fromMillis     begin of the window, epoch milliseconds, 0 or more
 * @param untilMillis    its end, exclusive, {@code fromMillis} or later
 */
public record ItemDrill(long handlingMillis, Fault fault, long faultMillis, long fromMillis, long untilMillis) {
    /** Ten minutes. */
    public static final long MAX_MILLIS = 600_000;
    private static final int PARTS = 5;
    /** Of the longest text. */
    private static final int MAX_LENGTH = 100;

    /** Fault of an attempt. */
    public enum Fault {
        NONE,
        /** Its destination is unavailable. */
        OUTAGE,
        /** It takes longer. */
        SLOW,
        /** It ends the process of its worker. */
        KILL
    }

    /** @throws IllegalArgumentException when a number is out of its range */
    public ItemDrill {
        if (handlingMillis < 0 || handlingMillis > MAX_MILLIS || faultMillis < 0 || faultMillis > MAX_MILLIS
                || fromMillis < 0 || untilMillis < fromMillis) {
            throw new IllegalArgumentException("drill " + handlingMillis + " " + fault + " " + faultMillis + " "
                    + fromMillis + " " + untilMillis + ": a number is out of its range");
        }
    }

    /** Creates a drill of items that have no fault. */
    public static ItemDrill of(long handlingMillis) {
        return new ItemDrill(handlingMillis, Fault.NONE, handlingMillis, 0, 0);
    }

    /** Returns the drill of a text that {@link #toString} returned; empty for any other one. */
    public static Optional<ItemDrill> parse(String text) {
        String[] parts = text.length() > MAX_LENGTH ? new String[0] : text.split(" ");
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ItemDrill(Long.parseLong(parts[0]), Fault.valueOf(parts[1].toUpperCase(Locale.ROOT)),
                    Long.parseLong(parts[2]), Long.parseLong(parts[3]), Long.parseLong(parts[4])));
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }

    /** Returns the fault of an attempt that begins now. */
    public Fault at(long nowMillis) {
        return nowMillis >= fromMillis && nowMillis < untilMillis ? fault : Fault.NONE;
    }

    /** Returns how long an attempt takes that begins now. */
    public long millis(long nowMillis) {
        return at(nowMillis) == Fault.NONE ? handlingMillis : faultMillis;
    }

    /** Returns its text, which an item carries. */
    @Override
    public String toString() {
        return handlingMillis + " " + fault.name().toLowerCase(Locale.ROOT) + " " + faultMillis + " " + fromMillis + " "
                + untilMillis;
    }
}
