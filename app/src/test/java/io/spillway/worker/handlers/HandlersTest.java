package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerException;
import io.spillway.handler.Outcome;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HandlersTest {
    /** As it should be. */
    public static class Good implements Handler {
        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }
    }

    public abstract static class Abstract extends Good {}

    static class Hidden extends Good {}

    public static class NeedsSomething extends Good {
        public NeedsSomething(String something) {
            assertThat(something).isNotNull();
        }
    }

    public static class Throwing extends Good {
        public Throwing() {
            throw new IllegalStateException("no\nkey");
        }
    }

    public static class ThrowingEarly extends Good {
        private static final int BROKEN = Integer.parseInt("none");

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.dead(Integer.toString(BROKEN));
        }
    }

    @Test
    void a_class_of_the_user_is_made() {
        assertThat(make(Good.class.getName())).isInstanceOf(Good.class);
        assertThat(Handlers.make(configuration(Map.of()).handler(), configuration(Map.of()).queue(), InstantSource.system())).isInstanceOf(LogHandler.class);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void a_class_that_cannot_be_a_handler_is_a_setting_that_is_not_allowed(String className, String allowed) {
        assertThatThrownBy(() -> Handlers.check(configuration(className).handler(), configuration(className).queue()))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContainingAll("handler.class = ", allowed)
                .message().doesNotContainPattern("\\p{Cc}");
        assertThatThrownBy(() -> make(className)).isInstanceOf(InvalidSettingException.class);
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("com.example.Missing", "on the class path (the launcher adds SPILLWAY_CLASSPATH to it)"),
                Arguments.of("no\nclass", "on the class path"),
                Arguments.of("java.lang.String", "must implement io.spillway.handler.Handler"),
                Arguments.of(Handler.class.getName(), "constructor"),
                Arguments.of(Abstract.class.getName(), "not abstract"),
                Arguments.of(Hidden.class.getName(), "public"),
                Arguments.of(NeedsSomething.class.getName(), "constructor without parameters"));
    }

    @ParameterizedTest
    @MethodSource("throwing")
    void a_class_that_throws_when_it_is_made_is_one_line_with_what_it_said(String className, String said) {
        Handlers.check(configuration(className).handler(), configuration(className).queue());

        assertThatThrownBy(() -> make(className))
                .isInstanceOf(HandlerException.class)
                .hasMessageContainingAll("handler.class = " + className, "cannot be made", said)
                .message().doesNotContainPattern("\\p{Cc}");
    }

    static Stream<Arguments> throwing() {
        return Stream.of(
                Arguments.of(Throwing.class.getName(), "no\\u000akey"),
                Arguments.of(ThrowingEarly.class.getName(), "NumberFormatException"));
    }

    @Test
    void a_topic_of_our_own_would_bring_every_item_back_for_ever() {
        for (String own : new String[] {"spillway.ingress", "spillway.hot", "spillway.delay", "spillway.policies"}) {
            assertThatThrownBy(() -> Handlers.check(configuration(Map.of("handler.type", "kafka", "handler.kafka.topic", own)).handler(), configuration(Map.of("handler.type", "kafka", "handler.kafka.topic", own)).queue()))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessage("handler.kafka.topic = " + own + ": must not be a topic of Spillway's own");
        }
        Handlers.check(configuration(Map.of("handler.type", "kafka", "handler.kafka.topic", "other.ingress")).handler(), configuration(Map.of("handler.type", "kafka", "handler.kafka.topic", "other.ingress")).queue());
    }

    @Test
    void a_setting_that_is_missing_or_wrong_is_named() {
        assertNamed(Map.of("handler.type", "smtp"), "handler.type = smtp", "[log, http, kafka, class]");
        assertNamed(Map.of("handler.type", "http"), "handler.http.url", "http://HOST");
        assertNamed(Map.of("handler.type", "http", "handler.http.url", "ftp://x/"), "handler.http.url = ftp://x/", "https://HOST");
        assertNamed(Map.of("handler.type", "http", "handler.http.url", "http://x/", "handler.http.connectTimeout", "0s"),
                "handler.http.connectTimeout", "1ms or more");
        assertNamed(Map.of("handler.type", "http", "handler.http.url", "http://x/", "handler.http.requestTimeout", "0s"),
                "handler.http.requestTimeout", "1ms or more");
        assertNamed(Map.of("handler.type", "kafka"), "handler.kafka.topic", "must be a topic");
        assertNamed(Map.of("handler.type", "class"), "handler.class", "io.spillway.handler.Handler");
    }

    private static void assertNamed(Map<String, String> settings, String... parts) {
        assertThatThrownBy(() -> configuration(settings)).isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(parts);
    }

    private static Handler make(String className) {
        return Handlers.make(configuration(className).handler(), configuration(className).queue(), InstantSource.system());
    }

    private static Configuration configuration(String className) {
        return configuration(Map.of("handler.type", "class", "handler.class", className));
    }

    private static Configuration configuration(Map<String, String> settings) {
        return ConfigurationLoader.load(Optional.empty(), Map.of(), settings);
    }
}
