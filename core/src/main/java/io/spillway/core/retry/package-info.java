/**
 * Internal. What follows an attempt: the next step, backoff with jitter, and retry budgets. Parameters and results are
 * not null unless stated otherwise. {@code nowMillis} is now in epoch milliseconds. A number that is refused because it
 * is out of its stated range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.retry;
