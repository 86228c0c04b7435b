/** The router: a Kafka Streams application that puts every ingress record into exactly one lane, or drops it by rule. */
package io.spillway.router;
