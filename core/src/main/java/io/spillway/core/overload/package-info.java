/**
 * Internal. Overload protection: tenants without a rate that take far more than their share of the hot lane, and
 * partitions without progress. Parameters and results are not null unless stated otherwise. {@code nowMillis} is now in
 * epoch milliseconds, {@code nowNanos} the same moment on a monotonic clock. A number that is refused because it is out
 * of its stated range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.overload;
