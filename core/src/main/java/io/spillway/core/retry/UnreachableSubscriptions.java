package io.spillway.core.retry;

import io.spillway.core.policy.Subscription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which subscriptions are paused because their receivers do not work: those of which a delivery was retried
 * until its {@code retryFor} was over, if in the next minute an attempt fails and none succeeds. What is over when a
 * subscription is resumed is therefore no reason to pause it again. It needs no memory of the failures before, so it
 * decides the same after a restart.
 *
 * <p>Thread-safe: its own lock. Bound: {@value #MOST} subscriptions at a time; further ones are left out.
 */
public final class UnreachableSubscriptions {
    static final int MOST = 10_000;
    private static final String MARK = Subscription.MARK;
    static final long WATCHED_MILLIS = 60_000;
    /** Without an attempt for so long, nothing is known of the receiver. */
    static final long FORGOTTEN_MILLIS = 600_000;

    /** Subscription of a tenant, by its workload. */
    public record Subscriber(String tenant, String workload) {
        /** Returns the name of the subscription. */
        public String name() {
            return workload.substring(MARK.length());
        }
    }

    private static final class Watch {
        final long sinceMillis;
        boolean hasFailed;

        Watch(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }
    }

    private final Map<Subscriber, Watch> watched = new LinkedHashMap<>();

    /** Records that a delivery's {@code retryFor} is over. */
    public synchronized void over(String tenant, String workload, long nowMillis) {
        Subscriber subscriber = new Subscriber(tenant, workload);
        if (watched.size() < MOST) {
            watched.putIfAbsent(subscriber, new Watch(nowMillis));
        }
    }

    /**
     * Records attempts that ended. Destinations end with the workload of their subscription. Those of tenants that are
     * not counted by themselves say nothing.
     */
    public synchronized void counted(List<AttemptCounts> counts) {
        for (int i = 0; i < counts.size() && !watched.isEmpty(); i++) {
            AttemptCounts count = counts.get(i);
            String destination = count.key().destination();
            for (int at = destination.indexOf(MARK); at >= 0; at = destination.indexOf(MARK, at + 1)) {
                Subscriber subscriber = new Subscriber(count.key().tenant(), destination.substring(at));
                if (count.successes() > 0) {
                    watched.remove(subscriber);
                } else if (count.attempts() > 0 && watched.containsKey(subscriber)) {
                    watched.get(subscriber).hasFailed = true;
                }
            }
        }
    }

    /** Removes and returns those to be paused. */
    public synchronized List<Subscriber> take(long nowMillis) {
        List<Subscriber> unreachable = new ArrayList<>();
        watched.entrySet().removeIf(entry -> {
            long millis = nowMillis - entry.getValue().sinceMillis;
            if (millis >= WATCHED_MILLIS && entry.getValue().hasFailed) {
                unreachable.add(entry.getKey());
                return true;
            }
            // Also after a clock was set back.
            return millis >= FORGOTTEN_MILLIS || millis < -FORGOTTEN_MILLIS;
        });
        return unreachable;
    }
}
