package io.spillway.core.ratelimit;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;
import java.util.Set;

/**
 * Gateway admission: the tenant's rate limit at the gateways first, then load shedding by its backlog. In the other
 * order, a tenant that offers 50 times its rate would not notice its backlog until that is 50 times its maximum.
 *
 * <p>A rejected caller gets the earliest useful time to retry plus a random part of up to the same length (at least one
 * second), so that callers rejected together do not return together. Over the rate, the earliest time is when the next
 * item fits. When shed, it is one second for each offer that one admission takes on average.
 */
public final class AdmissionRules {
    /** Settings that can refuse an item. */
    public static final Set<PolicyField> LIMITS = Set.of(
            PolicyField.ADMISSION_RATE, PolicyField.GROWTH, PolicyField.MAX_DRAIN, PolicyField.MAX_DEPTH);

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
     * @param limit   the tenant's {@code admissionRate} or grown limit; empty for none
     * @param backlog the tenant's waiting items
     * @param random  at least 0 and below 1
     */
    public Admission admit(
            TenantContext tenant, Optional<RateLimit> limit, Backlog backlog, long nowNanos, double random) {
        TenantPolicy policy = tenant.policy();
        Optional<RateDecision> rate = limit.map(given -> rates.read(tenant, given, nowNanos));
        if (rate.isPresent() && !rate.get().admitted()) {
            return new Admission.OverRate(
                    rate, policy.admissionLimit().isPresent() ? PolicyField.ADMISSION_RATE : PolicyField.GROWTH,
                    jittered(rate.get().nextMillis(), random));
        }
        if (!shedder.admit(tenant.name(), policy, backlog, random)) {
            double share = LoadShedder.share(policy, backlog);
            return new Admission.HeldBack(
                    rate, LoadShedder.limit(policy, backlog), backlog, share,
                    jittered((long) Math.min(SECOND_MILLIS / share, MAX_SHED_MILLIS), random));
        }
        return new Admission.Admitted(rate);
    }

    private static long jittered(long earliestMillis, double random) {
        long jitter = Math.max(earliestMillis, SECOND_MILLIS);
        return Math.min(MAX_RETRY_MILLIS, earliestMillis + (long) (random * jitter));
    }
}
