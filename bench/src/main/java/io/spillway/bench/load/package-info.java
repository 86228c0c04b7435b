/** Runs of a whole queue under load: a noisy neighbour, a slow tenant, an outage. */
package io.spillway.bench.load;
