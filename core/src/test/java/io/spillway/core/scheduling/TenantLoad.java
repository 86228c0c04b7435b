package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

/** Load of one tenant of a scheduler, as the tests check it. */
record TenantLoad(int inFlight, int waiting, int share, int cap, boolean isLong) {
    /** Load of a tenant that the scheduler does not know. */
    static final TenantLoad NONE = new TenantLoad(0, 0, 1, 1, false);

    static Optional<TenantLoad> of(FairDispatch<?> dispatch, String tenant) {
        return Optional.<FairNode<?>>ofNullable(dispatch.tenants.tenants.get(tenant)).map(known ->
                new TenantLoad(known.inFlight, startable(known),
                        dispatch.pool.share(known.weight), known.cap, known.isLong));
    }

    /** Returns the waiting items, without those of workloads at their concurrency; checks that none is above it. */
    private static int startable(FairNode<?> tenant) {
        int blocked = 0;
        for (FairNode<?> workload : tenant.children()) {
            assertThat(workload.inFlight).isBetween(0, workload.concurrency);
            blocked += workload.isAtCap() ? workload.waiting : 0;
        }
        return tenant.waiting - blocked;
    }

    /** Returns the slots that a tenant uses; 0 for an unknown tenant. */
    static int inFlight(FairDispatch<?> dispatch, String tenant) {
        return of(dispatch, tenant).map(TenantLoad::inFlight).orElse(0);
    }
}
