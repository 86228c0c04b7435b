package io.spillway.config;

import io.spillway.core.item.PoolName;
import io.spillway.core.overload.IsolationRule;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of the {@link IsolationRule}, by which a tenant gets workers of its own without an operator. */
public record IsolationSettings(
        @Setting(key = "router.isolation.mode", defaultValue = "observe", allowed = "off, observe, enforce",
                doc = "What happens to a tenant that takes too much: nothing, a message in the action log, or its"
                        + " isolation in the pool of spare workers.") Mode mode,
        @Setting(key = "router.isolation.share", defaultValue = "0.5", allowed = "0.05 to 1",
                doc = "Part of the slots, while other tenants wait, or of the backlog, from which on a tenant takes too"
                        + " much. A tenant of which items were convicted of killing workers does so too.")
                double share,
        @Setting(key = "router.isolation.after", defaultValue = "5m", allowed = "10s to 1d",
                doc = "Time of too much after which a tenant is isolated. A backlog counts if the workers would need as"
                        + " long for it alone.") Duration after,
        @Setting(key = "router.isolation.calm", defaultValue = "30m", allowed = "10s to 7d",
                doc = "Time below half of the share after which it is released.") Duration calm,
        @Setting(key = "router.isolation.most", defaultValue = "1", allowed = "1 to 64",
                doc = "Maximum number of tenants that are in the pool of spare workers at the same time for the rule to"
                        + " add one.") int most,
        @Setting(key = "router.isolation.pool", defaultValue = "spare", allowed = PoolName.RULE,
                doc = "Pool of spare workers. The rule releases every tenant that is calm from it, also one that an"
                        + " operator isolated there.") String pool) {

    /** What the rule may do. */
    public enum Mode { OFF, OBSERVE, ENFORCE }

    public IsolationSettings {
        AllowedRange.check(IsolationSettings.class, mode, share, after, calm, most, pool);
        if (!PoolName.isValid(pool) || pool.equals(PoolName.SHARED)) {
            throw new InvalidSettingException("router.isolation.pool", pool,
                    "must be " + PoolName.RULE + ", and not " + PoolName.SHARED);
        }
    }

    /** Returns what the rule decides by. */
    public IsolationRule.Settings rule() {
        return new IsolationRule.Settings(share, after.toMillis(), calm.toMillis(), most, pool);
    }
}
