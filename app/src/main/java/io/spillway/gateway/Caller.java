package io.spillway.gateway;

import io.spillway.kafka.view.StoredKey;
import io.spillway.operator.AdminRole;

/** Authenticated sender of a request, identified only by its key. */
sealed interface Caller {
    /** The holder of a valid key of a tenant, or of a service. */
    record Sender(StoredKey key) implements Caller {}

    /**
     * The holder of the key of operators or of viewers.
     *
     * @param user    name for the action log: printable, at most {@value Callers#MAX_USER} characters
     * @param isBasic whether it used HTTP Basic, which a browser also sends with requests that other sites trigger
     */
    record Admin(AdminRole role, String user, boolean isBasic) implements Caller {}

    /** A sender without a key, or with a wrong or revoked one. */
    record Unknown() implements Caller {}
}
