/** Topics, groups and ids of a queue, each declared once, and the plain clients and admin calls that work with them. */
package io.spillway.kafka.topics;
