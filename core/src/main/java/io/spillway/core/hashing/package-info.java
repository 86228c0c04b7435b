/** Internal. Hash of a tenant, and tables that are addressed by it. */
package io.spillway.core.hashing;
