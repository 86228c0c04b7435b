package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.spillway.Seed;
import io.spillway.kafka.codec.Items;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeysTest {
    private static final String FORM = "spw_[0-9a-f]{16}_[A-Za-z0-9_-]{43}";

    private final Seed seed = new Seed();
    private final ApiKeys keys = new ApiKeys();
    private final ApiKey acme = ApiKey.make(seed.random());
    private final ApiKey bolt = ApiKey.make(seed.random());

    @Test
    void a_new_key_has_the_documented_form_and_is_parsed_back() {
        Set<String> made = new HashSet<>();
        for (int i = 0; i < seed.rounds(1_000); i++) {
            ApiKey key = ApiKey.make(seed.random());
            assertThat(key.text()).as(seed.toString()).matches(FORM).startsWith("spw_" + key.keyId() + "_");
            assertThat(ApiKey.parse(key.text()).map(ApiKey::keyId)).as(seed.toString()).contains(key.keyId());
            made.add(key.text());
        }
        assertThat(made).as(seed.toString()).hasSize(seed.rounds(1_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "spw_", "spw_0123456789abcdef_", "spw_0123456789abcdef",
        "SPW_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "spw_0123456789ABCDEF_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
        " spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void a_text_of_another_form_is_not_a_key(String text) {
        assertThat(ApiKey.parse(text)).isEmpty();
    }

    @Test
    void a_key_with_one_changed_character_is_valid_only_in_the_documented_form() {
        for (int i = 0; i < acme.text().length(); i++) {
            for (char c : "09/:afg`AFGZ@[z{_-.+=s\u00e9\u0660\n".toCharArray()) {
                String text = acme.text().substring(0, i) + c + acme.text().substring(i + 1);
                assertThat(ApiKey.parse(text).isPresent()).as("'%s' at %d", c, i).isEqualTo(text.matches(FORM));
            }
        }
    }

    @Test
    void the_text_for_logs_omits_the_secret() {
        assertThat(acme.toString()).isEqualTo("spw_" + acme.keyId() + "_***");
        assertThat(StoredKey.of("acme", acme, 5).toString()).isEqualTo("key " + acme.keyId() + " of acme");
    }

    @Test
    void only_the_complete_key_identifies_its_tenant() {
        put("acme", acme);
        put("bolt", bolt);

        assertThat(tenantOf(acme)).contains("acme");
        assertThat(tenantOf(bolt)).contains("bolt");
        assertThat(tenantOf(ApiKey.make(seed.random()))).as("unknown").isEmpty();
        ApiKey mixed = ApiKey.parse("spw_" + acme.keyId() + "_" + bolt.text().substring(21)).orElseThrow();
        assertThat(tenantOf(mixed)).as("another's secret").isEmpty();
        for (int i = 21; i < acme.text().length(); i++) {
            char other = acme.text().charAt(i) == 'x' ? 'y' : 'x';
            String wrong = acme.text().substring(0, i) + other + acme.text().substring(i + 1);
            assertThat(tenantOf(ApiKey.parse(wrong).orElseThrow())).as("character %s is wrong", i).isEmpty();
        }
    }

    @Test
    void a_revoked_key_identifies_no_tenant() {
        put("acme", acme);
        keys.remove(acme.keyId());

        assertThat(tenantOf(acme)).isEmpty();
        assertThat(keys.size()).isZero();
    }

    @Test
    void keys_are_sorted_by_tenant_and_age() {
        ApiKey older = ApiKey.make(seed.random());
        put("bolt", bolt);
        put("acme", acme);
        keys.put(older.keyId(), StoredKey.of("acme", older, 1).encode());

        assertThat(keys.all(Optional.empty()).stream().map(StoredKey::keyId))
                .containsExactly(older.keyId(), acme.keyId(), bolt.keyId());
        assertThat(keys.all(Optional.of("bolt")).stream().map(StoredKey::keyId)).containsExactly(bolt.keyId());
        assertThat(keys.all(Optional.of("unknown"))).isEmpty();
    }

    @Test
    void an_invalid_record_is_rejected_and_changes_nothing() {
        put("acme", acme);
        byte[] good = StoredKey.of("bolt", bolt, 7).encode();
        assertThatIllegalArgumentException().as("under another id").isThrownBy(() -> keys.put(acme.keyId(), good));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.put(acme.keyId(), Items.bytes("invalid")));
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredKey("acme", "id", new byte[31], 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredKey("no tenant", "id", new byte[32], 0, 0));
        for (int i = 0; i < seed.rounds(20_000); i++) {
            byte[] bytes = good.clone();
            bytes[seed.random().nextInt(bytes.length)] = (byte) seed.random().nextInt();
            try {
                keys.put(bolt.keyId(), bytes);
            } catch (IllegalArgumentException rejected) {
                assertThat(rejected.getMessage()).as(seed.toString()).matches("[ -~]+");
            }
        }
        assertThat(tenantOf(acme)).contains("acme");
    }

    @Test
    void a_key_is_invalid_from_its_end_on() {
        keys.put(acme.keyId(), StoredKey.of("acme", acme, 7, 1_000).encode());
        assertThat(keys.of(acme, 999)).isPresent();
        assertThat(keys.of(acme, 1_000)).isEmpty();
    }

    @ParameterizedTest(name = "{0} for {1}: {2}")
    @CsvSource({"acme, acme, true", "acme, acme-1, false", "acme-*, acme-1, true", "acme-*, acme-, true",
        "acme-*, acme, false", "acme-*, bolt, false", "*, bolt, true"})
    void a_key_is_for_one_tenant_or_for_those_that_begin_with_a_text(String of, String tenant, boolean maySend) {
        StoredKey key = StoredKey.of(of, acme, 7);
        assertThat(key.maySend(tenant)).isEqualTo(maySend);
        assertThat(key.isOfService()).isEqualTo(of.endsWith("*"));
    }

    private Optional<String> tenantOf(ApiKey key) {
        return keys.of(key, 0).map(StoredKey::tenant);
    }

    private void put(String tenant, ApiKey key) {
        keys.put(key.keyId(), StoredKey.of(tenant, key, 7).encode());
    }
}
