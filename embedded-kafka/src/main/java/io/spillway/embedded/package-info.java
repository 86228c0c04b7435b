/** Internal. Embedded Kafka broker for local runs and tests. */
package io.spillway.embedded;
