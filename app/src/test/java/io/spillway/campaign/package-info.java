/** Campaigns: the whole system on three brokers, under faults from a seed, with the fate of every item checked. */
package io.spillway.campaign;
