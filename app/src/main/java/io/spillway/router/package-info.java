/** The router: a Kafka Streams application that moves every item from ingress and delay to its lane. */
package io.spillway.router;
