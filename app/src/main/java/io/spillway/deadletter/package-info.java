/** Internal. Dead letters: listing, and exactly-once replay and discard. */
package io.spillway.deadletter;
