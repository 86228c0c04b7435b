/** Internal. Times at which a schedule has an item, and the spread of items over a window. */
package io.spillway.core.schedule;
