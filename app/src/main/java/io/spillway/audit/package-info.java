/** The audit: counts the items that are stored and holds them against the ledger. */
package io.spillway.audit;
