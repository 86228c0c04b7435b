/** Routing: rules for the next lane of an item, rules for replays, and sweeps. */
package io.spillway.core.routing;
