/** The ledger: tenants' balances and their deltas, and the resulting depths, flow rates and drain forecasts. */
package io.spillway.core.ledger;
