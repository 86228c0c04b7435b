/** Tenant policies: fields, settings for one tenant or for all, and the index that finds a tenant's policy. */
package io.spillway.core.policy;
