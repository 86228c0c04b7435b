package io.spillway.gateway;

/** Authenticated sender of a request, identified only by its key. */
sealed interface Caller {
    /** The holder of a valid key of a tenant. */
    record OfTenant(String tenant) implements Caller {}

    /** The operator, holder of the admin key. */
    record Admin() implements Caller {}

    /** A sender without a key, or with a wrong or revoked one. */
    record Unknown() implements Caller {}
}
