/**
 * Internal. Rate limiting and admission: the generic cell rate algorithm, the table of its states, shares of a rate
 * among processes, growing limits, and load shedding. {@code nowNanos} is now in nanoseconds since 1970, above 0, on
 * one clock for all calls. Parameters and results are not null unless stated otherwise. A number that is refused
 * because it is out of its stated range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.ratelimit;
