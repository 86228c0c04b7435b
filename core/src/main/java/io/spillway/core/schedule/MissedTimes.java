package io.spillway.core.schedule;

import java.util.Locale;

/** What a schedule does about times at which no router ran. A time is missed if it is more than a minute ago. */
public enum MissedTimes {
    /** Leaves them out. */
    SKIP,
    /** Has one item for all of them: that of the latest time. */
    LAST,
    /** Has an item for each of them, for 14 days back. */
    ALL;

    /** Returns the name as in options and records. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the label, which shells complete. */
    @Override
    public String toString() {
        return label();
    }
}
