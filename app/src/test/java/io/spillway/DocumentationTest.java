package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks every page of the repository: links, form of the decision records, lengths, and that what they cite exists.
 */
class DocumentationTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DECISIONS = ROOT.resolve("topology-docs/decisions");
    private static final Set<Path> PAGES_WITH_TYPES = Set.of(
            ROOT.resolve("docs/architecture.md"), ROOT.resolve("docs/core.md"), ROOT.resolve("docs/techniques.md"));
    private static final int MAX_README_WORDS = 600;
    private static final int MAX_LINE_LENGTH = 100;

    private static final Pattern SCHEME = Pattern.compile("^[A-Za-z][A-Za-z0-9+.-]*:.*");
    private static final Pattern ONLY_A_LINK = Pattern.compile(
            "\\s*(?:[-*>] |\\d+\\. )?(?:!?\\[.*\\]\\([^)]*\\)|<?https?://\\S+|\\[[^\\]]+\\]:\\s+\\S+)[.,;:]?\\s*");
    private static final Pattern RECORD_FILE = Pattern.compile("(\\d{4})-[a-z0-9-]+\\.md");
    private static final Pattern RECORD_TITLE = Pattern.compile("(\\d+)\\. (\\p{Lu}.+[^.])");
    private static final Pattern STATUS =
            Pattern.compile("Status: ((?:accepted|superseded by .+), \\d{4}-\\d{2}-\\d{2})");
    /** A type's name in code, of two words or more, and perhaps a member of it. */
    private static final Pattern TYPE = Pattern.compile("([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:[.#](\\w+).*)?");

    /** A thread's name in code: words with hyphens, and perhaps a topic. */
    private static final Pattern THREAD = Pattern.compile("`([a-z]+-(?:[a-z-]+|<prefix>[a-z.-]+))`");

    /** The name of a check of {@code doctor}. */
    private static final Pattern CHECK = Pattern.compile("Finding\\.(?:ok|warn|fail)\\(\\s*\"([a-z ]+)\"");

    /** Types and constants that records name and that are Kafka's, Spring's or the JDK's. */
    private static final Set<String> FOREIGN = Set.of(
            "AutoOffsetReset", "CommitFailedException", "CompletableFuture", "Graphics2D", "InstantSource",
            "KafkaClientSupplier", "LongSupplier", "OutOfOrderSequenceException", "RuntimeException", "StrictMath",
            "StreamPartitioner");

    /** Texts that a reader of the repository cannot open. In parts, since this file is read too. */
    private static final Pattern OUTSIDE = Pattern.compile(
            String.join(
                    "|", "DESIGN" + "\\.md", "CONTRACT" + "\\.md", "REQUIREMENTS" + "\\.md", "\\bthe " + "contract\\b"),
            Pattern.CASE_INSENSITIVE);

    @Test
    void every_relative_link_leads_to_a_file_and_a_heading_that_exist() throws IOException {
        Map<Path, MarkdownPage> pages = new HashMap<>();
        for (Path file : files(".md")) {
            pages.put(file, MarkdownPage.read(file));
        }
        List<String> broken = new ArrayList<>();
        for (MarkdownPage page : pages.values()) {
            for (String link : page.links()) {
                problem(page, link, pages).ifPresent(why -> broken.add(name(page.path()) + ": " + link + " " + why));
            }
        }
        assertThat(broken).isEmpty();
    }

    private static Optional<String> problem(MarkdownPage page, String link, Map<Path, MarkdownPage> pages) {
        if (SCHEME.matcher(link).matches()) {
            return Optional.empty();
        }
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? page.path()
                : page.path().resolveSibling(parts[0]).normalize();
        if (!target.startsWith(ROOT)) {
            return Optional.of("is outside the repository");
        }
        if (!Files.exists(target)) {
            return Optional.of("does not exist");
        }
        boolean isMissing = parts.length == 2
                && pages.containsKey(target)
                && !pages.get(target).anchors().contains(parts[1]);
        return isMissing ? Optional.of("has no such heading") : Optional.empty();
    }

    @Test
    void a_decision_record_has_a_number_a_title_a_status_and_three_sections() throws IOException {
        List<MarkdownPage> records = records();
        assertThat(records).isNotEmpty();
        for (MarkdownPage record : records) {
            String name = name(record.path());
            assertThat(record.headings(1)).as(name).singleElement().asString().matches(RECORD_TITLE);
            assertThat(record.lines().getFirst()).as(name).startsWith("# " + number(record) + ". ");
            assertThat(record.lines().get(2)).as(name).matches(STATUS);
            assertThat(record.headings(2)).as(name).containsExactly("Context", "Decision", "Consequences");
        }
        assertThat(records).extracting(DocumentationTest::number).doesNotHaveDuplicates();
    }

    @Test
    void the_index_of_the_decisions_has_each_with_its_title_and_status() throws IOException {
        List<String> rows = new ArrayList<>();
        for (MarkdownPage record : records()) {
            Matcher title = RECORD_TITLE.matcher(record.headings(1).getFirst());
            Matcher status = STATUS.matcher(record.lines().get(2));
            assertThat(title.matches() && status.matches()).as(name(record.path())).isTrue();
            rows.add("| %s | [%s](%s) | %s |".formatted(
                    title.group(1), title.group(2), record.path().getFileName(), status.group(1)));
        }
        List<String> index = MarkdownPage.read(DECISIONS.resolve("README.md")).lines();
        assertThat(index.stream().filter(line -> line.matches("\\| \\d.*"))).containsExactlyInAnyOrderElementsOf(rows);
    }

    @Test
    void the_types_and_members_that_pages_name_exist() throws IOException {
        Map<String, Path> types = new HashMap<>();
        for (String suffix : List.of(".avsc", ".java")) {
            for (Path file : files(suffix)) {
                types.put(file.getFileName().toString().replace(suffix, ""), file);
            }
        }
        List<String> missing = new ArrayList<>();
        for (Path file : files(".md")) {
            if (file.startsWith(ROOT.resolve("topology-docs")) || PAGES_WITH_TYPES.contains(file)) {
                for (String code : MarkdownPage.read(file).code()) {
                    Matcher type = TYPE.matcher(code);
                    if (type.matches() && !FOREIGN.contains(type.group(1)) && !exists(type, types)) {
                        missing.add(name(file) + ": " + code);
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    private static boolean exists(Matcher type, Map<String, Path> types) throws IOException {
        Path file = types.get(type.group(1));
        return file != null
                && (type.group(2) == null || Files.readString(file).matches("(?s).*\\b" + type.group(2) + "\\b.*"));
    }

    @Test
    void the_threads_that_the_architecture_names_exist() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (Path file : files(".java")) {
            if (file.toString().contains("/src/main/")) {
                sources.append(Files.readString(file));
            }
        }
        List<String> lines = MarkdownPage.read(ROOT.resolve("docs/architecture.md")).lines();
        List<String> section = lines.subList(lines.indexOf("## Threads"), lines.indexOf("## Transactions"));
        List<String> named = THREAD.matcher(String.join(" ", section)).results().map(name -> name.group(1)).toList();
        assertThat(named).hasSizeGreaterThan(10);
        // A name may be put together from a topic, as in tail-<topic>, or from a role, as in <role>-clock.
        assertThat(named).allSatisfy(name -> assertThat(sources).containsAnyOf(
                '"' + name + '"', '"' + name.replaceFirst("<.*", "") + '"', '"' + name.replaceFirst("\\w+", "") + '"'));
    }

    @Test
    void the_table_of_doctor_has_every_check() throws IOException {
        Set<String> checks = new TreeSet<>();
        for (Path file : files(".java")) {
            if (file.toString().contains("/src/main/java/io/spillway/cli/diagnosis/")) {
                CHECK.matcher(Files.readString(file)).results().forEach(check -> checks.add(check.group(1)));
            }
        }
        List<String> lines = MarkdownPage.read(ROOT.resolve("docs/operations.md")).lines();
        List<String> section = lines.subList(lines.indexOf("## Doctor"), lines.indexOf("## Depth"));

        assertThat(checks).hasSizeGreaterThan(15)
                .allSatisfy(check -> assertThat(String.join(" ", section)).contains("`" + check + "`"));
    }

    @Test
    void the_first_page_is_short() {
        assertThat(MarkdownPage.read(ROOT.resolve("README.md")).words())
                .as("words in README.md; what is longer belongs to a page in docs")
                .isLessThanOrEqualTo(MAX_README_WORDS);
    }

    @Test
    void lines_of_text_are_short() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : files(".md")) {
            List<String> lines = MarkdownPage.read(file).lines();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                boolean isExempt = line.strip().startsWith("|") || ONLY_A_LINK.matcher(line).matches();
                if (line.codePointCount(0, line.length()) > MAX_LINE_LENGTH && !isExempt) {
                    tooLong.add(name(file) + ":" + (i + 1));
                }
            }
        }
        assertThat(tooLong).as("lines over " + MAX_LINE_LENGTH + " characters").isEmpty();
    }

    @Test
    void no_page_and_no_source_refers_to_what_is_not_in_the_repository() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> files = new ArrayList<>(files(".md"));
        files.addAll(files(".java"));
        for (Path file : files) {
            // A phrase may go on in the next line of a comment.
            String text = Files.readString(file).replaceAll("\\s*\\R\\s*(?:\\*(?!/)|//)?\\s*", " ");
            OUTSIDE.matcher(text).results().forEach(match -> found.add(name(file) + ": " + match.group()));
        }
        assertThat(found).isEmpty();
    }

    private static List<MarkdownPage> records() throws IOException {
        return files(".md").stream()
                .filter(file -> DECISIONS.equals(file.getParent()) && !file.endsWith("README.md"))
                .map(MarkdownPage::read)
                .toList();
    }

    private static int number(MarkdownPage record) {
        Matcher file = RECORD_FILE.matcher(record.path().getFileName().toString());
        assertThat(file.matches()).as(name(record.path()) + " is named NNNN-words.md").isTrue();
        return Integer.parseInt(file.group(1));
    }

    /** Returns all files of the repository with this suffix, in order, without build output and hidden files. */
    private static List<Path> files(String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                boolean isSkipped = !directory.equals(ROOT) && (name.startsWith(".") || name.equals("target"));
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().endsWith(ending)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found.stream().sorted().toList();
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }
}
