package io.spillway.core.scheduling;

import java.util.Optional;

/** Load of one tenant of a scheduler, as the tests check it. */
record TenantLoad(int inFlight, int waiting, int share, int cap, double estimateMillis) {
    static Optional<TenantLoad> of(FairDispatch<?> dispatch, String tenant) {
        return Optional.<DispatchTenant<?>>ofNullable(dispatch.tenants.tenants.get(tenant)).map(known -> {
            int share = dispatch.pool.share(known.weight);
            return new TenantLoad(known.inFlight, known.waiting, share, dispatch.caps.cap(known, share),
                    known.estimateMillis(dispatch.lanes.getFirst().averageMillis()));
        });
    }

    /** Returns the slots that a tenant uses; 0 for an unknown tenant. */
    static int inFlight(FairDispatch<?> dispatch, String tenant) {
        return of(dispatch, tenant).map(TenantLoad::inFlight).orElse(0);
    }
}
