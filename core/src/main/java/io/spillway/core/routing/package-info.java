/**
 * Internal. Routing: rules for the next lane of an item, rules for replays, and sweeps. Parameters and results are not
 * null unless stated otherwise. Points in time are epoch milliseconds.
 */
package io.spillway.core.routing;
