package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsBinderTest {
    private static final Queue DEFAULT = new Queue("q", 8, 1L << 40, 0.5, true, Duration.ofSeconds(30),
            Optional.empty(), List.of(), OptionalInt.empty(), Order.OLDEST, Map.of(), new Disk(7),
            PolicySettings.NONE_SET);

    private enum Order { OLDEST, NEWEST }

    private record Disk(@Setting(key = "disk.gigabytes", defaultValue = "7", doc = "size") int gigabytes) {
        Disk {
            if (gigabytes == 13) {
                throw new InvalidSettingException("disk.gigabytes", gigabytes, "must bring luck");
            }
            if (gigabytes == 14) {
                throw new IllegalArgumentException("not about a setting");
            }
        }
    }

    private record Queue(
            @Setting(key = "name", defaultValue = "q", doc = "name") String name,
            @Setting(key = "slots", defaultValue = "8", doc = "handlers") int slots,
            @Setting(key = "bytes", defaultValue = "1099511627776", doc = "size") long bytes,
            @Setting(key = "share", defaultValue = "0.5", doc = "part") double share,
            @Setting(key = "open", defaultValue = "true", doc = "whether it takes items") boolean open,
            @Setting(key = "wait", defaultValue = "30s", doc = "time") Duration pause,
            @Setting(key = "limit", doc = "time, if any") Optional<Duration> limit,
            @Setting(key = "ports", doc = "numbers") List<Integer> ports,
            @Setting(key = "copies", defaultValue = "none", doc = "number, if any") OptionalInt copies,
            @Setting(key = "order", defaultValue = "oldest", doc = "choice") Order order,
            @Setting(key = "client", doc = "keys of another program") Map<String, String> client,
            Disk disk,
            PolicySettings defaults) {}

    @Test
    void a_setting_without_a_value_has_its_default() {
        assertThat(new SettingsBinder(Map.of()).bind(Queue.class)).isEqualTo(DEFAULT);
    }

    @Test
    void text_becomes_a_value_of_the_type_of_the_component() {
        Map<String, String> values = Map.ofEntries(Map.entry("name", "mail"), Map.entry("slots", "1_000"),
                Map.entry("bytes", "9223372036854775807"), Map.entry("share", ".25"), Map.entry("open", "false"),
                Map.entry("wait", "250ms"), Map.entry("limit", "5m"), Map.entry("ports", "1, 22 ,3"),
                Map.entry("copies", "-2147483648"), Map.entry("order", "newest"), Map.entry("client.acks", "all"),
                Map.entry("client.ssl.key", "k"), Map.entry("disk.gigabytes", "9"), Map.entry("defaults.rate", "10"),
                Map.entry("defaults.ttl", "1h"));
        SettingsBinder binder = new SettingsBinder(values);
        assertThat(binder.bind(Queue.class)).isEqualTo(new Queue("mail", 1_000, Long.MAX_VALUE, 0.25, false,
                Duration.ofMillis(250), Optional.of(Duration.ofMinutes(5)), List.of(1, 22, 3),
                OptionalInt.of(Integer.MIN_VALUE), Order.NEWEST, Map.of("acks", "all", "ssl.key", "k"), new Disk(9),
                PolicySettings.NONE_SET.with(PolicyField.RATE, "10").with(PolicyField.TTL, "1h")));
        assertThat(binder.unused()).isEmpty();
    }

    @Test
    void no_limit_is_a_time_of_zero_and_differs_from_an_unset_one() {
        assertThat(new SettingsBinder(Map.of("limit", "none")).bind(Queue.class).limit()).contains(Duration.ZERO);
    }

    @Test
    void a_key_that_no_record_has_is_unused() {
        SettingsBinder binder = new SettingsBinder(Map.of("slot", "1", "clients.acks", "all", "slots", "1"));
        binder.bind(Queue.class);
        assertThat(binder.unused()).containsExactly("clients.acks", "slot");
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(delimiter = '|', textBlock = """
            slots          | many        | must be a whole number
            slots          | 010         | must be a whole number (without leading zeros)
            slots          | 2147483648  | must be a whole number
            slots          | ''          | must be a whole number
            bytes          | 1e3         | must be a whole number of 64 bits
            share          | half        | must be a number
            open           | yes         | must be true or false
            wait           | 5           | must be a duration such as 250ms, 30s, 5m, 1h or 7d (units: ms, s, m, h, d)
            limit          | never       | must be none, or a duration such as 30s, 5m, 1h or 7d (units: ms, s, m, h, d)
            ports          | 1,,2        | must be whole numbers with commas between them
            copies         | some        | must be a whole number
            order          | first       | must be one of [oldest, newest]
            disk.gigabytes | 13          | must bring luck
            defaults.ttl   | 0s          | must be 1ms to 365d, or none
            """)
    void a_value_that_is_not_allowed_is_refused_with_its_key(String key, String value, String allowed) {
        assertThatThrownBy(() -> new SettingsBinder(Map.of(key, value)).bind(Queue.class))
                .isInstanceOf(InvalidSettingException.class).hasMessage(key + " = " + value + ": " + allowed);
    }

    @Test
    void a_record_that_fails_otherwise_is_a_bug() {
        assertThatThrownBy(() -> new SettingsBinder(Map.of("disk.gigabytes", "14")).bind(Queue.class))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("not about a setting");
    }
}
