/**
 * Rate limits: the generic cell rate algorithm, its table of tenants, shares of a rate over several routers, limits
 * that grow, and admission with load shedding.
 */
package io.spillway.core.ratelimit;
