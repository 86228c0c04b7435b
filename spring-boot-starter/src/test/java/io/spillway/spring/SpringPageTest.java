package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test that the classes in docs/spring.md compile. */
class SpringPageTest {
    private static final Pattern CLASS = Pattern.compile("```java\n(.*?\nclass (\\w+) .*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    @Test
    void the_classes_in_the_page_on_spring_compile() throws Exception {
        Matcher blocks = CLASS.matcher(Files.readString(Path.of("..", "docs", "spring.md")));
        int compiled = 0;
        while (blocks.find()) {
            Path source = Files.writeString(directory.resolve(blocks.group(2) + ".java"), blocks.group(1));
            assertThat(ToolProvider.getSystemJavaCompiler()
                            .run(
                                    null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
                                    directory.toString(), source.toString()))
                    .isZero();
            compiled++;
        }
        assertThat(compiled).isEqualTo(2);
    }
}
