/** Tests on an embedded broker: {@link io.spillway.testing.broker.SpillwayExtension}. */
package io.spillway.testing.broker;
