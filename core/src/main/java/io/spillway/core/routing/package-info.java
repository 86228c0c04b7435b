/** Where an item goes next: routing rules, replay rules and sweeps. */
package io.spillway.core.routing;
