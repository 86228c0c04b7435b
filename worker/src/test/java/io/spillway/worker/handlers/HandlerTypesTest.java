package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerType;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlerTypesTest {
    @TempDir
    private Path directory;

    public record EchoSettings(@Setting(key = "handler.echo.text", doc = "Text.") String text) {}

    public record OtherSettings(@Setting(key = "worker.slots", doc = "Not its own.") String slots) {}

    private abstract static class Type<S extends Record> implements HandlerType<S> {
        @Override
        public Handler create(S settings, HandlerContext context) {
            return delivery -> Outcome.done();
        }
    }

    public static final class Echo extends Type<EchoSettings> {
        @Override
        public String name() {
            return "echo";
        }

        @Override
        public Class<EchoSettings> settings() {
            return EchoSettings.class;
        }
    }

    public static final class WithKeysOfOthers extends Type<OtherSettings> {
        @Override
        public String name() {
            return "other";
        }

        @Override
        public Class<OtherSettings> settings() {
            return OtherSettings.class;
        }
    }

    public static final class SecondLog extends Type<HandlerType.NoSettings> {
        @Override
        public String name() {
            return "log";
        }

        @Override
        public Class<NoSettings> settings() {
            return NoSettings.class;
        }
    }

    @Test
    void a_type_of_a_jar_is_added_to_those_of_spillway() throws IOException {
        HandlerTypes types = with(Echo.class.getName());

        assertThat(types.settings()).contains(EchoSettings.class, HttpSettings.class, PullSettings.class).hasSize(6);
        assertThat(types.of("echo")).isInstanceOf(Echo.class);
        assertThat(types.of("HTTP")).isInstanceOf(HttpHandler.Type.class);
    }

    @Test
    void a_type_that_cannot_be_loaded_stops_only_those_who_choose_one_that_is_missing() throws IOException {
        HandlerTypes types = with("com.example.Missing", Echo.class.getName());

        assertThat(types.of("echo")).isInstanceOf(Echo.class);
        assertThatThrownBy(() -> types.of("missing")).isInstanceOf(InvalidSettingException.class)
                .hasMessageContainingAll("handler.type = missing: must be one of [class, echo, http, kafka, log, pull]",
                        "com.example.Missing")
                .message().doesNotContainPattern("\\p{Cc}");
    }

    @Test
    void a_type_with_the_name_or_the_keys_of_another_is_refused() throws IOException {
        HandlerTypes types = with(SecondLog.class.getName(), WithKeysOfOthers.class.getName());

        assertThat(types.of("log")).isInstanceOf(LogHandler.Type.class);
        assertThatThrownBy(() -> types.of("other")).isInstanceOf(InvalidSettingException.class)
                .hasMessageContainingAll(SecondLog.class.getName(), WithKeysOfOthers.class.getName());
    }

    private HandlerTypes with(String... classes) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(HandlerType.class.getName()), String.join("\n", classes));
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, HandlerTypes.class.getClassLoader())) {
            return HandlerTypes.in(loader);
        }
    }
}
