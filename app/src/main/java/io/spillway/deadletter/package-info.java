/** Dead letters: reading, replaying and discarding them, each exactly once. */
package io.spillway.deadletter;
