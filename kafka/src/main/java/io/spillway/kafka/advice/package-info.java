/** Internal. What operators are told when Kafka cannot be used: the cause, and the command to run. */
package io.spillway.kafka.advice;
