/** What all measurements share: the broker process, items, clients, tables and the state of the machine. */
package io.spillway.bench.support;
