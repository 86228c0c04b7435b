package io.spillway.gateway;

/** Who sends a request, by its key alone. */
sealed interface Caller {
    /** Whoever holds a key of this tenant that is in force. */
    record OfTenant(String tenant) implements Caller {}

    /** The operator. */
    record Admin() implements Caller {}

    /** Nobody we know: without a key, or with one that is wrong or revoked. */
    record Unknown() implements Caller {}
}
