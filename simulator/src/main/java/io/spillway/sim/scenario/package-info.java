/** Internal. Scenarios: tenants, arrivals, latencies and disturbances of a simulation. */
package io.spillway.sim.scenario;
