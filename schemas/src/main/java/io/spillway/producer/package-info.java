/** What a producer may use: its partitioner. Needs kafka-clients, which a producer has. */
package io.spillway.producer;
