/**
 * Internal. Items: lanes, reasons for moves, limits, the states that the ledger counts, and the hash of a tenant.
 * Parameters and results are not null unless stated otherwise.
 */
package io.spillway.core.item;
