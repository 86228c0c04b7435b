/** Internal. Audit: counts the stored items and compares them with the ledger. */
package io.spillway.audit;
