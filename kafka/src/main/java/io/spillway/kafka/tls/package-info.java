/** Internal. TLS of Kafka's clients. */
package io.spillway.kafka.tls;
