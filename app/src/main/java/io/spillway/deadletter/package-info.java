/**
 * Dead letters after their death: looking at them, replaying and discarding them, each at most once whatever is killed.
 */
package io.spillway.deadletter;
