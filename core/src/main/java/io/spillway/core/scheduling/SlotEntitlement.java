package io.spillway.core.scheduling;

/** What a tenant may take next, given the slots it holds. */
enum SlotEntitlement {
    /** Below its fair share: any free slot. */
    WITHIN,
    /** At or beyond its fair share: borrowed slots. */
    BEYOND,
    /** At or beyond its fair share, with attempts that do not end soon. */
    LONG,
    /** At its own cap, or held: nothing. */
    HELD
}
