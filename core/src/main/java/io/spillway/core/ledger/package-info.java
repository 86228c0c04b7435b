/**
 * The ledger: balances of each tenant, the deltas that moves add, and the depth, flow rates and drain forecast that
 * follow.
 */
package io.spillway.core.ledger;
