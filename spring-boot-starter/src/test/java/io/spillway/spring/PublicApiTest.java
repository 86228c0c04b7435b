package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The API by the list in docs/api.md. This module is the one that sees all others. */
class PublicApiTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> LISTED = listed();
    private static final Pattern BLOCK = Pattern.compile("(?m)^```java\\R(.*?)^```", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:public |final )*class (\\w+)");
    private static final Pattern OURS = Pattern.compile("io\\.spillway(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*");
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    @TempDir
    Path directory;

    @Test
    void what_a_build_compares_with_a_release_is_the_list() throws IOException {
        Set<String> compared = Pattern.compile("<include>(io\\.spillway[^<]*)</include>")
                .matcher(Files.readString(ROOT.resolve("pom.xml"))).results()
                .map(match -> match.group(1)).collect(Collectors.toSet());

        assertThat(compared).isEqualTo(LISTED);
    }

    @ParameterizedTest
    @MethodSource("pagesWithExamples")
    void the_examples_of_a_page_compile_against_the_api_alone(String page) throws IOException {
        for (MatchResult block : blocks(page)) {
            DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
            try (StandardJavaFileManager files = COMPILER.getStandardFileManager(problems, Locale.ROOT, null)) {
                boolean compiles = COMPILER.getTask(new StringWriter(), new ApiAlone(files), problems,
                        List.of("-proc:none", "-d", directory.toString()), null,
                        List.of(source(block.group(1)))).call();
                assertThat(compiles).as(page + ": " + block.group(1) + problems.getDiagnostics()).isTrue();
            }
        }
    }

    static List<String> pagesWithExamples() throws IOException {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            List<String> names = new ArrayList<>(pages.map(page -> "docs/" + page.getFileName()).toList());
            names.add("README.md");
            names.removeIf(name -> !name.endsWith(".md") || blocks(name).isEmpty());
            return names;
        }
    }

    @Test
    void an_internal_type_is_not_seen_by_an_example() throws IOException {
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, Locale.ROOT, null)) {
            assertThat(COMPILER.getTask(new StringWriter(), new ApiAlone(files), null,
                    List.of("-proc:none", "-d", directory.toString()), null,
                    List.of(source("io.spillway.core.item.Lane.HOT.label()"))).call()).isFalse();
        }
    }

    @Test
    void a_signature_of_the_api_names_no_other_type_of_spillway() throws Exception {
        Set<String> leaks = new TreeSet<>();
        for (Class<?> type : apiTypes()) {
            List<Executable> calls = new ArrayList<>();
            Stream.of(type.getDeclaredMethods(), type.getDeclaredConstructors())
                    .<Executable>flatMap(Arrays::stream).forEach(calls::add);
            List<String> signatures = new ArrayList<>(List.of(type.toGenericString()));
            calls.stream().filter(call -> !call.isSynthetic() && isOpen(call.getModifiers())).forEach(call ->
                    signatures.add(call instanceof Method method ? method.toGenericString()
                            : ((Constructor<?>) call).toGenericString()));
            Arrays.stream(type.getDeclaredFields()).filter(field -> isOpen(field.getModifiers()))
                    .map(Field::toGenericString).forEach(signatures::add);
            for (String signature : signatures) {
                OURS.matcher(signature).results().map(MatchResult::group).filter(name -> !isListed(name))
                        .forEach(name -> leaks.add(type.getName() + ": " + name));
            }
        }
        assertThat(leaks).isEmpty();
    }

    @Test
    void every_other_package_says_that_it_is_internal() throws IOException {
        Map<String, String> wrong = new LinkedHashMap<>();
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(each -> each.endsWith("package-info.java")
                    && each.toString().contains("/src/main/java/io/spillway/")).sorted().toList()) {
                String text = Files.readString(file);
                Matcher name = Pattern.compile("(?m)^package ([\\w.]+);").matcher(text);
                assertThat(name.find()).isTrue();
                if (!name.group(1).startsWith("io.spillway.bench")
                        && LISTED.contains(name.group(1)) == text.contains("Internal")) {
                    wrong.put(name.group(1), text);
                }
            }
        }
        assertThat(wrong.keySet()).isEmpty();
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static Set<Class<?>> apiTypes() throws IOException, ClassNotFoundException {
        Set<Class<?>> types = new HashSet<>();
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, Locale.ROOT, null)) {
            for (String listed : LISTED) {
                String packageName = isPackage(listed) ? listed : listed.substring(0, listed.lastIndexOf('.'));
                for (JavaFileObject file : files.list(
                        StandardLocation.CLASS_PATH, packageName, Set.of(JavaFileObject.Kind.CLASS), false)) {
                    String name = files.inferBinaryName(StandardLocation.CLASS_PATH, file);
                    if (!isListed(name) || file.toUri().toString().contains("test-classes")) {
                        continue;
                    }
                    Class<?> type = Class.forName(name, false, PublicApiTest.class.getClassLoader());
                    boolean isOpen = true;
                    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
                        isOpen &= isOpen(outer.getModifiers()) && !outer.isAnonymousClass();
                    }
                    if (isOpen) {
                        types.add(type);
                    }
                }
            }
        }
        assertThat(types).hasSizeGreaterThan(20);
        return types;
    }

    private static List<MatchResult> blocks(String page) {
        try {
            return BLOCK.matcher(Files.readString(ROOT.resolve(page))).results().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes a class of statements, of an expression or of a method of a handler. */
    private static JavaFileObject source(String block) {
        Matcher type = TYPE.matcher(block);
        if (type.find()) {
            return new Source(type.group(1), block);
        }
        String body = block.strip().startsWith("@Override") ? block
                : "void example(byte[] json) throws Exception {" + block.strip()
                        + (block.strip().endsWith(";") || block.strip().endsWith("}") ? "" : ";") + "}";
        return new Source("Example", """
                import io.spillway.handler.*;
                import io.spillway.producer.*;
                import java.time.*;
                import java.util.*;
                import org.apache.kafka.clients.producer.*;
                abstract class Example implements Handler {
                %s
                }
                """.formatted(body));
    }

    private static Set<String> listed() {
        try {
            return Files.readAllLines(ROOT.resolve("docs/api.md")).stream().filter(line -> line.startsWith("| `"))
                    .map(line -> line.split("`")[1]).collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPackage(String name) {
        return Character.isLowerCase(name.charAt(name.lastIndexOf('.') + 1));
    }

    /** Returns whether a type is listed, its package is, or a type that it is in. */
    private static boolean isListed(String type) {
        String top = type.split("\\$")[0];
        return LISTED.contains(top) || LISTED.contains(top.substring(0, top.lastIndexOf('.')));
    }

    /** Class path with the API alone. */
    private static final class ApiAlone extends ForwardingJavaFileManager<JavaFileManager> {
        ApiAlone(JavaFileManager files) {
            super(files);
        }

        @Override
        public Iterable<JavaFileObject> list(
                Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
                throws IOException {
            List<JavaFileObject> found = new ArrayList<>();
            for (JavaFileObject file : super.list(location, packageName, kinds, recurse)) {
                if (!packageName.startsWith("io.spillway") || isListed(inferBinaryName(location, file))) {
                    found.add(file);
                }
            }
            return found;
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + type + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
