/** Internal. Group of the workers in Kafka: which of them has which partitions. */
package io.spillway.worker.group;
