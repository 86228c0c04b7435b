/** Internal. Spans of OpenTelemetry for items: one when the gateway stores an item, and one for each attempt. */
package io.spillway.tracing;
