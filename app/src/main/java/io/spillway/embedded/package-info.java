/** A Kafka broker in this process, for local runs and tests. */
package io.spillway.embedded;
