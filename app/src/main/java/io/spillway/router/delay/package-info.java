/** Internal. Delay stage: timers of items that wait for a due time. */
package io.spillway.router.delay;
