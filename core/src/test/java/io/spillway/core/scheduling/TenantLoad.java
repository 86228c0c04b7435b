package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

/** Load of one tenant of a scheduler, as the tests check it. */
record TenantLoad(int inFlight, int waiting, int share, int cap, double estimateMillis) {
    /** Load of a tenant that the scheduler does not know. */
    static final TenantLoad NONE = new TenantLoad(0, 0, 1, 1, 1);

    static Optional<TenantLoad> of(FairDispatch<?> dispatch, String tenant) {
        return Optional.<DispatchTenant<?>>ofNullable(dispatch.tenants.tenants.get(tenant)).map(known -> {
            int share = dispatch.pool.share(known.weight);
            int cap = dispatch.pool.isAlone() ? known.concurrency : dispatch.caps.cap(known, share);
            return new TenantLoad(known.inFlight, startable(known), share, cap,
                    known.estimateMillis(dispatch.lanes.getFirst().averageMillis()));
        });
    }

    /** Returns the waiting items, without those of workloads at their concurrency; checks that none is above it. */
    private static int startable(DispatchTenant<?> tenant) {
        int blocked = 0;
        for (DispatchWorkload<?> workload : tenant.workloads()) {
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
