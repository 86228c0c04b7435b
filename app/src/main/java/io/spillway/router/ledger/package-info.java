/**
 * Internal. Ledger on the router's side: deltas written with each transaction, and the fold that turns them into
 * balances.
 */
package io.spillway.router.ledger;
