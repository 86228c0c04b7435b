package io.spillway.kafka.metrics;

import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Meters of the busiest tenants by name, and of all others together, so that the number of series is bounded.
 *
 * <p>Names are sticky. The first tenants are named until all names are taken. Afterwards {@link #elect} gives a name
 * to a tenant that was at least {@value #TIMES_BUSIER} times as busy as the least busy named one. A named tenant that
 * is idle for {@value #IDLE_ELECTIONS} elections loses its name.
 *
 * <p>Owner: this object. Threads share concurrent counters; only {@link #elect}, called by one thread, removes names.
 * Bounds: {@code most} named tenants, and {@value #CANDIDATES_EACH} times as many candidates between two elections;
 * further tenants are not counted as candidates until the next one.
 *
 * @param <M> the meters of one tenant
 */
public final class TenantMeters<M> {
    /** Label of all tenants without a name. No tenant can have this name. */
    public static final String OTHERS = "*other*";

    static final int TIMES_BUSIER = 4;
    static final int IDLE_ELECTIONS = 90;
    private static final int CANDIDATES_EACH = 10;

    private final int most;
    private final Function<String, M> make;
    private final Consumer<M> remove;
    private final M others;
    private final Map<String, Named<M>> named = new ConcurrentHashMap<>();
    private final Set<String> names = Collections.unmodifiableSet(named.keySet());
    private final Map<String, LongAdder> candidates = new ConcurrentHashMap<>();

    /**
     * Creates the meters of all other tenants; those of a tenant are created when it is named.
     *
     * @param most   limit of named tenants, 1 or more
     * @param make   registers the meters for a tenant's label
     * @param remove removes them from the registry
     */
    public TenantMeters(int most, Function<String, M> make, Consumer<M> remove) {
        this.most = most;
        this.make = make;
        this.remove = remove;
        this.others = make.apply(OTHERS);
    }

    /** Counts one event of activity and returns the meters of this tenant. */
    public M of(String tenant) {
        return of(tenant, 1);
    }

    /** Counts several events of activity, 0 or more, and returns the meters of this tenant. */
    public M of(String tenant, long events) {
        Named<M> own = named.get(tenant);
        if (own == null) {
            if (named.size() >= most) {
                countCandidate(tenant, events);
                return others;
            }
            own = name(tenant);
        }
        own.events.add(events);
        return own.meters;
    }

    /** Returns the named tenants at any time: {@link #OTHERS} is for all but these. */
    public Set<String> names() {
        return names;
    }

    /** Moves names to busier tenants. Call it about every 10 s, from one thread. */
    public void elect() {
        named.forEach((tenant, own) -> {
            own.lastEvents = own.events.sumThenReset();
            own.idleElections = own.lastEvents == 0 ? own.idleElections + 1 : 0;
            if (own.idleElections >= IDLE_ELECTIONS) {
                forget(tenant);
            }
        });
        candidates.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, LongAdder> entry) -> -entry.getValue().sum()))
                .limit(most)
                .forEach(entry -> admit(entry.getKey(), entry.getValue().sum()));
        candidates.clear();
    }

    private void admit(String tenant, long events) {
        if (named.size() >= most) {
            Optional<Map.Entry<String, Named<M>>> least = named.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().lastEvents));
            if (least.isEmpty() || events < TIMES_BUSIER * Math.max(1, least.get().getValue().lastEvents)) {
                return;
            }
            forget(least.get().getKey());
        }
        name(tenant).lastEvents = events;
    }

    /** Concurrent threads may each take the last name, so {@code most} can be exceeded by the number of threads. */
    private Named<M> name(String tenant) {
        return named.computeIfAbsent(tenant, absent -> new Named<>(make.apply(absent)));
    }

    /** Both are one step for {@link #name}: otherwise it could return meters that are just removed. */
    private void forget(String tenant) {
        named.computeIfPresent(tenant, (name, own) -> {
            remove.accept(own.meters);
            return null;
        });
    }

    private void countCandidate(String tenant, long events) {
        LongAdder count = candidates.get(tenant);
        if (count == null && candidates.size() < most * CANDIDATES_EACH) {
            count = candidates.computeIfAbsent(tenant, absent -> new LongAdder());
        }
        if (count != null) {
            count.add(events);
        }
    }

    /** Named tenant. All fields except {@code events} belong to the electing thread. */
    private static final class Named<M> {
        private final M meters;
        private final LongAdder events = new LongAdder();
        private long lastEvents;
        private int idleElections;

        Named(M meters) {
            this.meters = meters;
        }
    }
}
