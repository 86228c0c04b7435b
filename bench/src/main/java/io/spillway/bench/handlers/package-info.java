/** Throughput of the worker beside a bare consumer. */
package io.spillway.bench.handlers;
