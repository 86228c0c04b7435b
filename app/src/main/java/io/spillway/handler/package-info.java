/**
 * The handler contract: what an application implements to process items. A {@link io.spillway.handler.Handler} receives
 * a {@link io.spillway.handler.Delivery} and returns an {@link io.spillway.handler.Outcome}. Needs the JDK alone.
 */
package io.spillway.handler;
