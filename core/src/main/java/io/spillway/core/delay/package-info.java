/**
 * Internal. Decisions of the delay stage: what waits for its due time, is paused, or waits for the retry budget, and
 * what leaves. The caller stores the items. Parameters and results are not null.
 */
package io.spillway.core.delay;
