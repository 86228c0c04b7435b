/**
 * Overload protection: finds tenants without a rate that take far more than their share of the hot lane, and
 * partitions whose work stands still.
 */
package io.spillway.core.overload;
