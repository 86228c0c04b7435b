/** Internal. Meters that several roles share, with a bounded number of tenant labels. */
package io.spillway.kafka.metrics;
