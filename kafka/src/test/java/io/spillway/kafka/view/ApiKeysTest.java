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
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeysTest {
    private final Seed seed = new Seed();
    private final ApiKeys keys = new ApiKeys();
    private final ApiKey acme = ApiKey.make(seed.random());
    private final ApiKey bolt = ApiKey.make(seed.random());

    @Test
    void a_key_has_the_form_of_the_contract_and_is_read_back() {
        Set<String> made = new HashSet<>();
        for (int i = 0; i < seed.rounds(1_000); i++) {
            ApiKey key = ApiKey.make(seed.random());
            assertThat(key.text()).as(seed.toString()).matches("spw_[0-9a-f]{16}_[A-Za-z0-9_-]{43}").startsWith("spw_" + key.keyId() + "_");
            assertThat(ApiKey.parse(key.text()).map(ApiKey::keyId)).as(seed.toString()).contains(key.keyId());
            made.add(key.text());
        }
        assertThat(made).as(seed.toString()).hasSize(seed.rounds(1_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "spw_", "spw_0123456789abcdef_", "spw_0123456789abcdef", "SPW_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "spw_0123456789ABCDEF_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", " spw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void what_has_another_form_is_no_key(String text) {
        assertThat(ApiKey.parse(text)).isEmpty();
    }

    @Test
    void whatever_character_is_put_anywhere_a_key_is_what_has_the_form_of_the_contract() {
        for (int i = 0; i < acme.text().length(); i++) {
            for (char c : "09/:afg`AFGZ@[z{_-.+=s\u00e9\u0660\n".toCharArray()) {
                String text = acme.text().substring(0, i) + c + acme.text().substring(i + 1);
                assertThat(ApiKey.parse(text).isPresent()).as("'%s' at %d", c, i).isEqualTo(text.matches("spw_[0-9a-f]{16}_[A-Za-z0-9_-]{43}"));
            }
        }
    }

    @Test
    void the_text_for_a_log_has_no_secret() {
        assertThat(acme.toString()).isEqualTo("spw_" + acme.keyId() + "_***");
        assertThat(StoredKey.of("acme", acme, 5).toString()).isEqualTo("key " + acme.keyId() + " of acme");
    }

    @Test
    void only_the_whole_key_is_its_tenants() {
        put("acme", acme);
        put("bolt", bolt);

        assertThat(keys.tenantOf(acme)).contains("acme");
        assertThat(keys.tenantOf(bolt)).contains("bolt");
        assertThat(keys.tenantOf(ApiKey.make(seed.random()))).as("unknown").isEmpty();
        String secretOfBolt = bolt.text().substring(21);
        assertThat(keys.tenantOf(ApiKey.parse("spw_" + acme.keyId() + "_" + secretOfBolt).orElseThrow())).as("another's secret").isEmpty();
        for (int i = 21; i < acme.text().length(); i++) {
            char other = acme.text().charAt(i) == 'x' ? 'y' : 'x';
            String wrong = acme.text().substring(0, i) + other + acme.text().substring(i + 1);
            assertThat(keys.tenantOf(ApiKey.parse(wrong).orElseThrow())).as("character %s is wrong", i).isEmpty();
        }
    }

    @Test
    void a_revoked_key_is_nobodys() {
        put("acme", acme);
        keys.remove(acme.keyId());

        assertThat(keys.tenantOf(acme)).isEmpty();
        assertThat(keys.size()).isZero();
    }

    @Test
    void keys_are_listed_by_tenant_and_age() {
        ApiKey older = ApiKey.make(seed.random());
        put("bolt", bolt);
        put("acme", acme);
        keys.put(older.keyId(), new StoredKeyCodec().encode(StoredKey.of("acme", older, 1)));

        assertThat(keys.all(Optional.empty()).stream().map(StoredKey::keyId)).containsExactly(older.keyId(), acme.keyId(), bolt.keyId());
        assertThat(keys.all(Optional.of("bolt")).stream().map(StoredKey::keyId)).containsExactly(bolt.keyId());
        assertThat(keys.all(Optional.of("nobody"))).isEmpty();
    }

    @Test
    void junk_is_refused_and_changes_nothing() {
        put("acme", acme);
        byte[] good = new StoredKeyCodec().encode(StoredKey.of("bolt", bolt, 7));
        assertThatIllegalArgumentException().as("under another id").isThrownBy(() -> keys.put(acme.keyId(), good));
        assertThatIllegalArgumentException().isThrownBy(() -> keys.put(acme.keyId(), Items.bytes("junk")));
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredKey("acme", "id", new byte[31], 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new StoredKey("no tenant", "id", new byte[32], 0));
        for (int i = 0; i < seed.rounds(20_000); i++) {
            byte[] bytes = good.clone();
            bytes[seed.random().nextInt(bytes.length)] = (byte) seed.random().nextInt();
            try {
                keys.put(bolt.keyId(), bytes);
            } catch (IllegalArgumentException refused) {
                assertThat(refused.getMessage()).as(seed.toString()).matches("[ -~]+");
            }
        }
        assertThat(keys.tenantOf(acme)).contains("acme");
    }

    private void put(String tenant, ApiKey key) {
        keys.put(key.keyId(), new StoredKeyCodec().encode(StoredKey.of(tenant, key, 7)));
    }
}
