/**
 * What an item is to every decision: its lane, the reasons for its moves, its limits, the states that the ledger
 * counts, and the hash of its tenant.
 */
package io.spillway.core.item;
