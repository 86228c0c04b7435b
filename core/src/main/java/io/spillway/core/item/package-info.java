/** Items: lanes, reasons for moves, limits, the states that the ledger counts, and the hash of a tenant. */
package io.spillway.core.item;
