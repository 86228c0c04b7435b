/**
 * Policy of a tenant: its fields, the settings that are set for it or for all tenants, and the index that finds them
 * for each item.
 */
package io.spillway.core.policy;
