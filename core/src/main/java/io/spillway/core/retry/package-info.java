/** What follows an attempt: the next step, backoff with jitter, and retry budgets. */
package io.spillway.core.retry;
