/**
 * Tenant policies: fields, settings for one tenant or for all, and the index that finds a tenant's policy. Parameters
 * and results are not null unless stated otherwise.
 */
package io.spillway.core.policy;
