package io.spillway.kafka.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TenantMetersTest {
    private final Set<String> registered = new TreeSet<>();
    private final List<String> removed = new ArrayList<>();
    private final TenantMeters<String> meters = new TenantMeters<>(2, this::register, this::remove);

    @Test
    void the_first_tenants_are_named_while_there_is_room() {
        assertThat(meters.of("a")).isEqualTo("a");
        assertThat(meters.of("b")).isEqualTo("b");
        assertThat(meters.of("c")).isEqualTo("*other*");
        assertThat(meters.of("a")).isEqualTo("a");
    }

    @Test
    void the_number_of_series_is_bounded_for_any_number_of_tenants() {
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 100_000; i++) {
                meters.of("t" + i);
            }
            meters.elect();
        }
        assertThat(registered).hasSize(3).contains("*other*");
    }

    @Test
    void a_much_busier_tenant_replaces_the_least_busy_named_one() {
        count("a", 10);
        count("b", 5);
        count("c", 20);
        meters.elect();

        assertThat(meters.of("c")).isEqualTo("c");
        assertThat(removed).containsExactly("b");
    }

    @Test
    void a_slightly_busier_tenant_replaces_no_one() {
        count("a", 10);
        count("b", 5);
        count("c", 19);
        meters.elect();

        assertThat(meters.of("c")).isEqualTo("*other*");
        assertThat(removed).isEmpty();
    }

    @Test
    void an_idle_tenant_loses_its_name_after_the_idle_elections() {
        count("a", 1);
        count("b", 1);
        meters.elect();
        for (int i = 1; i < TenantMeters.IDLE_ELECTIONS; i++) {
            meters.of("b");
            meters.elect();
        }
        assertThat(removed).isEmpty();
        meters.of("b");
        meters.elect();

        assertThat(removed).containsExactly("a");
        assertThat(meters.of("c")).isEqualTo("c");
    }

    /** As in a registry, meters of a label that is registered are not made again. */
    @Test
    void a_tenant_that_is_active_while_it_loses_its_name_is_never_counted_by_removed_meters() throws Exception {
        Map<String, Object> registry = new ConcurrentHashMap<>();
        AtomicReference<TenantMeters<Object>> own = new AtomicReference<>();
        List<Thread> active = new ArrayList<>();
        own.set(new TenantMeters<>(
                1,
                label -> registry.computeIfAbsent(label, absent -> new Object()),
                meters -> {
                    Thread thread = Thread.ofPlatform().start(() -> own.get().of("a"));
                    active.add(thread);
                    // Longer than the thread needs, unless it has to wait.
                    join(thread, 200);
                    registry.values().remove(meters);
                }));
        own.get().of("a");
        for (int i = 0; i <= TenantMeters.IDLE_ELECTIONS; i++) {
            own.get().elect();
        }
        assertThat(active).hasSize(1);
        active.getFirst().join();
        assertThat(registry).containsValue(own.get().of("a"));
    }

    private static void join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void count(String tenant, int events) {
        for (int i = 0; i < events; i++) {
            meters.of(tenant);
        }
    }

    private String register(String label) {
        registered.add(label);
        return label;
    }

    private void remove(String label) {
        registered.remove(label);
        removed.add(label);
    }
}
