package io.spillway.core.scheduling;

/** What a tenant may take next, by what it holds now. */
enum SlotEntitlement {
    /** Below its fair share: any free slot. */
    WITHIN,
    /** At or beyond its fair share: what the reserve leaves. */
    BEYOND,
    /** The same, with work that holds a slot for long: only what nobody else has used of late. */
    LONG,
    /** At its own cap: nothing. */
    HELD
}
