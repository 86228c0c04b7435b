/**
 * Internal. Fair scheduling of one worker's slots, for its item type {@code T}: deficit round robin by slot time, and
 * adaptive concurrency limits. Parameters and results are not null unless stated otherwise. {@code nowMillis} is now in
 * epoch milliseconds, {@code nowNanos} the same moment on a monotonic clock. A number that is refused because it is out
 * of its stated range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.scheduling;
