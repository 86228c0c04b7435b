/** Tests on an embedded broker or a container: {@link io.spillway.testing.broker.SpillwayExtension}. */
package io.spillway.testing.broker;
