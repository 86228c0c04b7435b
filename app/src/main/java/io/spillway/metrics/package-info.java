/** The metrics endpoint that every role shares, and the bound on series that name a tenant. */
package io.spillway.metrics;
