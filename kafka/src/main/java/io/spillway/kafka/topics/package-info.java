/** Internal. Topics, groups and ids of a queue, with plain clients and admin calls for them. */
package io.spillway.kafka.topics;
