package io.spillway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Test that the tests in docs/embedding.md compile, and that the one without a broker passes. */
class PageExampleTest {
    @TempDir
    Path directory;

    @Test
    void the_test_in_the_page_on_embedding_compiles_and_passes() throws Exception {
        compile("MailHandlerTest");
        List<String> passed = new ArrayList<>();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Class<?> type = loader.loadClass("com.example.MailHandlerTest");
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(Test.class)) {
                    Constructor<?> constructor = type.getDeclaredConstructor();
                    constructor.setAccessible(true);
                    method.setAccessible(true);
                    method.invoke(constructor.newInstance());
                    passed.add(method.getName());
                }
            }
        }
        assertThat(passed).containsExactlyInAnyOrder(
                "mailsThatArriveDuringAnOutageAreSentAfterIt", "aFloodOfOneCustomerDoesNotDelayAnother");
    }

    @Test
    void the_test_with_a_broker_in_the_page_on_embedding_compiles() throws Exception {
        compile("OrdersBrokerTest");
    }

    private void compile(String type) throws IOException {
        Pattern block = Pattern.compile(
                "```java\n(package com\\.example;((?!```).)*class " + type + " .*?)```", Pattern.DOTALL);
        Matcher example = block.matcher(Files.readString(Path.of("..", "docs", "embedding.md")));
        assertThat(example.find()).as(type).isTrue();
        Path source = Files.writeString(directory.resolve(type + ".java"), example.group(1));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(
                                null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
                                directory.toString(), source.toString()))
                .isZero();
    }
}
