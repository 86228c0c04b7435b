/** What many tenants cost: views, reports, metrics and commands. */
package io.spillway.bench.tenants;
