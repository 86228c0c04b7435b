/** The same loads on other queues and libraries. */
package io.spillway.bench.comparison;
