package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway tenants export}: writes the stored policies as a file. */
@Command(name = "export", footer = "  spillway tenants export -f policies.yml", description = {
    "Writes the policy settings of all tenants, and of *, and all subscriptions and destinations, as YAML that tenants apply reads.",
    "Defaults of the configuration are not in it. A key of the policies topic that is not the name of a tenant is "
            + "left out."
})
final class TenantsExportCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = {"-f", "--file"}, paramLabel = "FILE",
            description = "File to write or to replace. Default: standard output.")
    private Path file;

    @Override
    public void run() {
        SortedMap<String, PolicyEntry> stored = PolicyEntry.stored(
                ActionRun.reading(common, PoliciesFile::topics).policies());
        Printer printer = common.printer();
        if (file == null) {
            printer.result(
                    () -> PoliciesFile.document(stored), to -> PoliciesFile.yaml(stored).lines().forEach(to::line));
            return;
        }
        try {
            Files.writeString(file, PoliciesFile.yaml(stored));
        } catch (IOException e) {
            throw CommandFailure.failed("--file " + Printable.of(file.toString()) + ": cannot be written ("
                    + Printable.of(e.toString()) + "). Choose another file.");
        }
        printer.result(Map.of("file", file.toString(), "tenants", count(stored, PolicyEntry.Kind.TENANT),
                        "subscriptions", count(stored, PolicyEntry.Kind.SUBSCRIPTION),
                        "destinations", count(stored, PolicyEntry.Kind.DESTINATION)),
                "Wrote " + PolicyEntry.named(stored.values().stream()) + " to "
                        + Printable.of(file.toString()) + ".");
    }

    private static long count(SortedMap<String, PolicyEntry> stored, PolicyEntry.Kind kind) {
        return stored.values().stream().filter(entry -> entry.kind() == kind).count();
    }
}
