/**
 * Internal. The ledger: tenants' balances and their deltas, and the resulting depths, flow rates and drain forecasts.
 * Arrays of counts are indexed by the ordinal of the {@link io.spillway.core.item.ItemState}. Parameters and results
 * are not null unless stated otherwise. {@code nowMillis} is now in epoch milliseconds, {@code nowNanos} the same
 * moment on a monotonic clock.
 */
package io.spillway.core.ledger;
