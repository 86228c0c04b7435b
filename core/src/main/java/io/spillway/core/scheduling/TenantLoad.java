package io.spillway.core.scheduling;

/**
 * Load of one tenant at one moment, for metrics and for {@code explain}.
 *
 * @param inFlight       slots it holds
 * @param waiting        its items in the worker's buffers, of all lanes
 * @param share          its fair share of the slots, 1 or more
 * @param cap            most slots it may hold, 1 or more; {@link Integer#MAX_VALUE} for no cap of its own
 * @param estimateMillis expected duration of its next attempt, above 0
 */
public record TenantLoad(int inFlight, int waiting, int share, int cap, double estimateMillis) {}
