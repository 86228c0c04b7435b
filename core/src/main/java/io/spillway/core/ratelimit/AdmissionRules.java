package io.spillway.core.ratelimit;

import io.spillway.core.policy.TenantPolicy;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The front door's decision: a tenant's rate first, and what is within it is thinned by its backlog. The other way round a
 * tenant that offers 50 times its rate would feel nothing of its backlog until that is 50 times its maximum.
 *
 * <p>Who is refused is told when to come back: the earliest time that makes sense, and as much again at the most by chance
 * (one second at the least), so that callers refused together do not come back together. Over the rate the earliest time
 * is when the next item is within it; held back it is as many seconds as offers are needed for one to be admitted.
 */
public final class AdmissionRules {
    /** Nobody is sent away for longer. */
    static final long MAX_RETRY_MILLIS = 300_000;
    private static final long SECOND_MILLIS = 1_000;
    private static final long MAX_HELD_BACK_MILLIS = 60_000;

    private final RateTable rates;
    private final LoadShedder thinning;

    public AdmissionRules(RateTable rates, LoadShedder thinning) {
        this.rates = rates;
        this.thinning = thinning;
    }

    /**
     * Decides about one item.
     *
     * @param tenant   not null
     * @param policy   the tenant's, not null
     * @param waiting  its items that wait now; empty when nobody knows
     * @param nowNanos as in {@link RateTable#admit}
     * @param random   at least 0 and below 1
     */
    public Admission admit(String tenant, TenantPolicy policy, OptionalLong waiting, long nowNanos, double random) {
        Optional<RateDecision> rate = policy.rateLimit().map(limit -> rates.read(tenant, limit, nowNanos));
        if (rate.isPresent() && !rate.get().admitted()) {
            return new Admission.OverRate(rate, spread(rate.get().nextMillis(), random));
        }
        if (!thinning.admit(tenant, policy, waiting, random)) {
            double tries = 1 / LoadShedder.share(policy, waiting);
            return new Admission.HeldBack(
                    rate, spread((long) Math.min(tries * SECOND_MILLIS, MAX_HELD_BACK_MILLIS), random));
        }
        return new Admission.Admitted(rate);
    }

    private static long spread(long earliestMillis, double random) {
        long spread = Math.max(earliestMillis, SECOND_MILLIS);
        return Math.min(MAX_RETRY_MILLIS, earliestMillis + (long) (random * spread));
    }
}
