package io.spillway.cli.tenants;

import io.spillway.Fuzz;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.view.TenantPolicies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of policies, as {@code tenants apply} reads them, of any bytes. See {@link Fuzz}. */
class PoliciesFileFuzzTest {
    private static final String[] TEXTS = {
        "1", "0.5", "none", "auto", "30s", "true", "full", "1e5", "~", "\"*\"", "- ", ": ", "{", "[", "&a ", "*a",
        "<<: *a",
        "!!java.lang.Thread ", "\n    rate: ", "\n  \"b\":\n    ttl: 1h", "---\n", "\t", "#", "0x10", "1_000", ".inf",
        "workloads:", "2026-11-21", "'", "[".repeat(3_000), "{a: ".repeat(1_000), "? "
    };

    @TempDir
    private Path directory;

    @Test
    void a_file_is_refused_in_one_line_or_has_policies_that_are_written_to_the_same() {
        Fuzz.of("policy files", this::file).withTexts(TEXTS).usually(500).check(this::isFile);
    }

    private boolean isFile(byte[] bytes) {
        SortedMap<String, PolicyEntry> settings;
        try {
            settings = read(bytes);
        } catch (InvalidSettingException refused) {
            Fuzz.require(refused.getMessage().matches("[ -~]+") && refused.getMessage().length() < 3_000, "message",
                    refused.getMessage());
            return false;
        }
        Fuzz.require(read(yaml(settings)).equals(settings), "written to other policies", settings);
        settings.forEach((tenant, entry) -> {
            PolicySettings own = entry.settings();
            Fuzz.require(TenantPolicies.decode(TenantPolicies.encode(tenant, own)).equals(own), "stored", own);
            TenantPolicy.of(own.over(PolicySettings.DEFAULTS));
        });
        return true;
    }

    private SortedMap<String, PolicyEntry> read(byte[] bytes) {
        try {
            // The file is below a directory whose name is the same in every run of a message.
            return PoliciesFile.read(Files.write(directory.resolve("f"), bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] yaml(SortedMap<String, PolicyEntry> settings) {
        return PoliciesFile.yaml(settings).getBytes(StandardCharsets.UTF_8);
    }

    private byte[] file(SplittableRandom random) {
        SortedMap<String, PolicyEntry> settings = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            settings.put(random.nextInt(5) == 0 ? "*" : "tenant-" + i, PolicyEntry.of(settings(random)));
        }
        byte[] bytes = yaml(settings);
        Fuzz.require(read(bytes).equals(settings), "read to other policies", settings);
        return bytes;
    }

    private static PolicySettings settings(SplittableRandom random) {
        PolicySettings settings = PolicySettings.NONE_SET;
        for (PolicyField field : PolicyField.values()) {
            for (int tries = random.nextInt(4) == 0 ? 5 : 0; tries > 0; tries--) {
                try {
                    settings = settings.with(field, TEXTS[random.nextInt(8)]);
                } catch (IllegalArgumentException otherType) {
                    continue;
                }
            }
        }
        return random.nextInt(3) > 0 ? settings
                : settings.withWorkload("mail", new WorkloadPolicy(0.1 * random.nextInt(1, 90), 7));
    }
}
