/** Load on the gateway over HTTP. */
package io.spillway.bench.gateway;
