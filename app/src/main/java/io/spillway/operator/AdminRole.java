package io.spillway.operator;

import java.util.Locale;

/** What the holder of an admin key may do. */
public enum AdminRole {
    /** Sees and changes everything. */
    OPERATOR,
    /** Sees everything but payloads, unless {@code gateway.viewerPayloads} is set, and changes nothing. */
    VIEWER;

    /** Returns the name as in JSON. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
