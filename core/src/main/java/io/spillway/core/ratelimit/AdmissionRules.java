package io.spillway.core.ratelimit;

import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gateway admission: the tenant's rate limit first, then load shedding by its backlog. In the other order, a tenant
 * that offers 50 times its rate would not notice its backlog until that is 50 times its maximum.
 *
 * <p>A rejected caller gets the earliest useful time to retry plus a random part of up to the same length (at least one
 * second), so that callers rejected together do not return together. Over the rate, the earliest time is when the next
 * item fits. When shed, it is one second for each offer that one admission takes on average.
 */
public final class AdmissionRules {
    static final long MAX_RETRY_MILLIS = 300_000;
    private static final long SECOND_MILLIS = 1_000;
    private static final long MAX_SHED_MILLIS = 60_000;

    private final RateTable rates;
    private final LoadShedder shedder;

    public AdmissionRules(RateTable rates, LoadShedder shedder) {
        this.rates = rates;
        this.shedder = shedder;
    }

    /**
     * Decides on one item.
     *
     * @param waiting the tenant's waiting items; empty when not known
     * @param random  at least 0 and below 1
     */
    public Admission admit(TenantContext tenant, OptionalLong waiting, long nowNanos, double random) {
        TenantPolicy policy = tenant.policy();
        Optional<RateDecision> rate = policy.rateLimit().map(limit -> rates.read(tenant, limit, nowNanos));
        if (rate.isPresent() && !rate.get().admitted()) {
            return new Admission.OverRate(rate, jittered(rate.get().nextMillis(), random));
        }
        if (!shedder.admit(tenant.name(), policy, waiting, random)) {
            double offers = 1 / LoadShedder.share(policy, waiting);
            return new Admission.HeldBack(
                    rate, jittered((long) Math.min(offers * SECOND_MILLIS, MAX_SHED_MILLIS), random));
        }
        return new Admission.Admitted(rate);
    }

    private static long jittered(long earliestMillis, double random) {
        long jitter = Math.max(earliestMillis, SECOND_MILLIS);
        return Math.min(MAX_RETRY_MILLIS, earliestMillis + (long) (random * jitter));
    }
}
