/**
 * Overload protection: tenants without a rate that take far more than their share of the hot lane, and partitions
 * without progress.
 */
package io.spillway.core.overload;
