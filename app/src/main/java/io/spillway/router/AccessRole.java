package io.spillway.router;

import java.util.Locale;

/** Role of a login of Kafka: a role of a process, the operator who runs commands, or a producer of items. */
public enum AccessRole {
    ROUTER, WORKER, GATEWAY, OPERATOR, PRODUCER;

    /** Returns the name as in options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the label, which shells complete. */
    @Override
    public String toString() {
        return label();
    }
}
