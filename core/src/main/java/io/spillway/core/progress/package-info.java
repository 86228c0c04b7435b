/**
 * Internal. Progress of a partition whose items finish in any order, its commit metadata, and suspects after a crash.
 * Parameters and results are not null unless stated otherwise. A number that is refused because it is out of its stated
 * range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.progress;
