package io.spillway.gateway;

import java.util.OptionalLong;

/** How much waits, for whoever has to hold tenants back; filled in by the composition root. Thread-safe. */
@FunctionalInterface
public interface Depths {
    /** Where nobody keeps the books: nobody is held back for depth. */
    Depths UNKNOWN = tenant -> OptionalLong.empty();

    /**
     * Items of a tenant that wait in all lanes.
     *
     * @param tenant not null
     * @return 0 or more; empty when nobody knows, or what is known is too old to act on
     */
    OptionalLong waiting(String tenant);
}
