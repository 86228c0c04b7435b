package io.spillway.core.scheduling;

/** What a tenant may take next, given the slots it holds. */
enum SlotEntitlement {
    /** Below its fair share: any free slot. */
    WITHIN,
    /** At or beyond its fair share: what others do not need soon. */
    BEYOND,
    /** At or beyond its fair share with long attempts: only slots that other tenants have not used recently. */
    LONG,
    /** At its own cap, or held: nothing. */
    HELD
}
