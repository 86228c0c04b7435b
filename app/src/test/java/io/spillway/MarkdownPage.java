package io.spillway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Markdown file of the repository: its links, anchors, headings and code, without a full parser.
 *
 * @param path  absolute path of the file
 * @param lines of the file, code blocks replaced by empty lines, so that an index is the line number less 1
 * @param words number of words in the whole file, code blocks included
 */
record MarkdownPage(Path path, List<String> lines, int words) {
    private static final Pattern FENCE = Pattern.compile("^\\s*(```+|~~~+).*");
    private static final Pattern LIST_ITEM = Pattern.compile("[-*+] |\\d+[.)] ");
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\s*\\)");
    private static final Pattern DEFINITION = Pattern.compile("^\\s*\\[[^\\]]+\\]:\\s+<?([^\\s>]+)>?.*");
    private static final Pattern ATTRIBUTE = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("^(#{1,6})\\s+(.+?)\\s*#*$");
    private static final Pattern ANCHOR = Pattern.compile("<a\\s+(?:id|name)=\"([^\"]+)\"");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern WORD = Pattern.compile("\\S*[\\p{L}\\p{N}]\\S*");

    static MarkdownPage read(Path path) {
        try {
            List<String> all = Files.readAllLines(path);
            int words = all.stream().mapToInt(line -> (int) WORD.matcher(line).results().count()).sum();
            return new MarkdownPage(path, List.copyOf(withoutCodeBlocks(all)), words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> withoutCodeBlocks(List<String> all) {
        List<String> lines = new ArrayList<>();
        String open = null;
        boolean isAfterBlank = true;
        boolean isInList = false;
        for (String line : all) {
            boolean isIndented = line.startsWith("    ") && isAfterBlank && !isInList;
            isAfterBlank = line.isBlank() || isIndented;
            isInList = line.isBlank() || line.startsWith(" ") ? isInList : LIST_ITEM.matcher(line).lookingAt();
            Matcher fence = FENCE.matcher(line);
            if (open == null && fence.matches()) {
                open = fence.group(1);
                lines.add("");
            } else if (open != null) {
                open = line.strip().equals(open) ? null : open;
                lines.add("");
            } else {
                lines.add(isIndented ? "" : line);
            }
        }
        return lines;
    }

    /** Targets of its links and images, as they are written. */
    List<String> links() {
        List<String> targets = new ArrayList<>();
        for (String line : lines) {
            String prose = CODE.matcher(line).replaceAll("`");
            for (Pattern pattern : List.of(LINK, ATTRIBUTE)) {
                pattern.matcher(prose).results().forEach(match -> targets.add(match.group(1)));
            }
            Matcher definition = DEFINITION.matcher(prose);
            if (definition.matches()) {
                targets.add(definition.group(1));
            }
        }
        return targets;
    }

    /** Anchors that a link can name: those of its headings as GitHub forms them, and those written as HTML. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (String line : lines) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String slug = slug(heading.group(2));
                int before = seen.merge(slug, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? slug : slug + "-" + before);
            }
            ANCHOR.matcher(line).results().forEach(match -> anchors.add(match.group(1)));
        }
        return anchors;
    }

    private static String slug(String heading) {
        String text = heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1").replace("`", "");
        return text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
    }

    /** Texts of its headings of one level. */
    List<String> headings(int level) {
        return lines.stream()
                .map(HEADING::matcher)
                .filter(heading -> heading.matches() && heading.group(1).length() == level)
                .map(heading -> heading.group(2))
                .toList();
    }

    /** Pieces of code in its text; a piece that continues on the next line counts once. */
    List<String> code() {
        return CODE.matcher(String.join(" ", lines)).results().map(match -> match.group(1)).toList();
    }
}
