/** Measurements: the router beside its peers on a real Kafka, and its hot path in JMH. Never shipped. */
package io.spillway.bench;
