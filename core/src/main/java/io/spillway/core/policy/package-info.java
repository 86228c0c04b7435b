/**
 * Internal. Tenant policies: fields, settings for one tenant or for all, and the index that finds a tenant's policy.
 * Parameters and results are not null unless stated otherwise. A number that is refused because it is out of its stated
 * range causes an {@link IllegalArgumentException} which contains it.
 */
package io.spillway.core.policy;
