/** Internal. Tasks that a process repeats, and the watches over its clock and its cluster. */
package io.spillway.kafka.periodic;
