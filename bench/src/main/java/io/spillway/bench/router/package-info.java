/** Throughput and latency of the router beside a pass-through and a transactional loop. */
package io.spillway.bench.router;
