/** Handlers that come with Spillway: HTTP, Kafka topic, log, and a class by name. */
package io.spillway.worker.handlers;
