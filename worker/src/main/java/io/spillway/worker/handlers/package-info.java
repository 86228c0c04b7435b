/**
 * Internal, except for what {@code docs/api.md} lists. Built-in handlers (HTTP, Kafka topic, log) and the loader of a
 * handler class by name.
 */
package io.spillway.worker.handlers;
