/** Internal. Router: a Kafka Streams application that moves every item from ingress and the delay lane to its lane. */
package io.spillway.router;
