/** Internal. Handler type that posts items to receivers of tenants, signed and kept out of private networks. */
package io.spillway.webhook;
