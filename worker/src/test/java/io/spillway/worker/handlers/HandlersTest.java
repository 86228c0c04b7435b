package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerException;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.QueueSettings;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HandlersTest {
    public static class Valid implements Handler {
        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.done();
        }
    }

    public abstract static class Abstract extends Valid {}

    static class Hidden extends Valid {}

    public static class NeedsSomething extends Valid {
        public NeedsSomething(String something) {
            assertThat(something).isNotNull();
        }
    }

    public static class Throwing extends Valid {
        public Throwing() {
            throw new IllegalStateException("no\nkey");
        }
    }

    public static class ThrowingEarly extends Valid {
        private static final int BROKEN = Integer.parseInt("none");

        @Override
        public Outcome handle(Delivery delivery) {
            return Outcome.dead(Integer.toString(BROKEN));
        }
    }

    @Test
    void a_handler_class_is_created() {
        assertThat(make(Valid.class.getName())).isInstanceOf(Valid.class);
        assertThat(make(configuration(Map.of()))).isInstanceOf(LogHandler.class);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void a_class_that_is_not_a_handler_is_an_invalid_setting(String className, String allowed) {
        assertThatThrownBy(() -> check(configuration(className)))
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
    void a_constructor_that_throws_is_reported_in_one_line_with_its_message(String className, String message) {
        check(configuration(className));

        assertThatThrownBy(() -> make(className))
                .isInstanceOf(HandlerException.class)
                .hasMessageContainingAll("handler.class = " + className, "cannot be created", message)
                .message().doesNotContainPattern("\\p{Cc}");
    }

    static Stream<Arguments> throwing() {
        return Stream.of(
                Arguments.of(Throwing.class.getName(), "no\\u000akey"),
                Arguments.of(ThrowingEarly.class.getName(), "NumberFormatException"));
    }

    @Test
    void a_topic_of_spillway_is_refused_because_items_would_loop() {
        for (String own : new String[] {"spillway.ingress", "spillway.hot", "spillway.delay", "spillway.policies"}) {
            assertThatThrownBy(() -> check(toTopic(own)))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessage("handler.kafka.topic = " + own + ": must not be one of Spillway's topics");
        }
        check(toTopic("other.ingress"));
    }

    @Test
    void a_missing_or_invalid_setting_is_named() {
        assertNamed(Map.of("handler.type", "smtp"), "handler.type = smtp", "[class, http, kafka, log, pull]");
        assertNamed(Map.of("handler.type", "http"), "handler.http.url", "http://HOST");
        assertNamed(Map.of("handler.type", "http", "handler.http.url", "ftp://x/"),
                "handler.http.url = ftp://x/", "https://HOST");
        for (String timeout : List.of("handler.http.connectTimeout", "handler.http.requestTimeout")) {
            assertNamed(Map.of("handler.type", "http", "handler.http.url", "http://x/", timeout, "0s"),
                    timeout, "1ms or more");
        }
        assertNamed(Map.of("handler.type", "kafka"), "handler.kafka.topic", "must be a topic");
        assertNamed(Map.of("handler.type", "class"), "handler.class", "io.spillway.handler.Handler");
    }

    private static void assertNamed(Map<String, String> settings, String... parts) {
        assertThatThrownBy(() -> configuration(settings).bind(HandlerSettings.class))
                .isInstanceOf(InvalidSettingException.class).hasMessageContainingAll(parts);
    }

    private static Handler make(String className) {
        return make(configuration(className));
    }

    private static Handler make(SettingsBinder settings) {
        return settings.bind(HandlerSettings.class).create(context(settings));
    }

    private static void check(SettingsBinder settings) {
        settings.bind(HandlerSettings.class).check(context(settings));
    }

    private static QueueContext context(SettingsBinder settings) {
        return new QueueContext(settings.bind(QueueSettings.class), InstantSource.system());
    }

    private static SettingsBinder toTopic(String topic) {
        return configuration(Map.of("handler.type", "kafka", "handler.kafka.topic", topic));
    }

    private static SettingsBinder configuration(String className) {
        return configuration(Map.of("handler.type", "class", "handler.class", className));
    }

    private static SettingsBinder configuration(Map<String, String> settings) {
        return new SettingsBinder(settings);
    }
}
