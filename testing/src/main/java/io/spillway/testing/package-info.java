/** Tests of handlers in virtual time: {@link io.spillway.testing.VirtualQueue}. */
package io.spillway.testing;
