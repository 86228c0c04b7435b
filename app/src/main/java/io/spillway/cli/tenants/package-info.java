/** Internal. Commands for tenants: policies, keys and isolation. */
package io.spillway.cli.tenants;
