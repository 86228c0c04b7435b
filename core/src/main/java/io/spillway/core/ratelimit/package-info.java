/**
 * Rate limiting and admission: the generic cell rate algorithm, the table of its states, shares of a rate among
 * processes, growing limits, and load shedding. Parameters and results are not null unless stated otherwise.
 */
package io.spillway.core.ratelimit;
