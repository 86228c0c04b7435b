/** Meters that several roles share, with a bounded tenant label. */
package io.spillway.kafka.metrics;
