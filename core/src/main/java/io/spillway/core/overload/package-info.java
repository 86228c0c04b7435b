/**
 * Overload protection: tenants without a rate that take far more than their share of the hot lane, and partitions
 * without progress. Parameters and results are not null unless stated otherwise.
 */
package io.spillway.core.overload;
