/**
 * Rate limiting and admission: the generic cell rate algorithm, the table of its states, shares of a rate among
 * processes, growing limits, and load shedding.
 */
package io.spillway.core.ratelimit;
