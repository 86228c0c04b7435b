package io.spillway.worker.handlers;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of the worker's handler. */
public record HandlerSettings(
        @Setting(key = "handler.type", defaultValue = "log", allowed = "log, http, kafka, class, pull",
                doc = "Handler that processes the items.") Type type,
        @Setting(key = "handler.http.url", allowed = "http://HOST... or https://HOST...",
                doc = "URL that each item is posted to, for type http. Its path and query may contain {tenant} and"
                        + " {workload}.") String httpUrl,
        @Setting(key = "handler.http.connectTimeout", defaultValue = "2s", allowed = "1ms or more",
                doc = "Maximum time to open a connection.") Duration httpConnectTimeout,
        @Setting(key = "handler.http.requestTimeout", defaultValue = "10s", allowed = "1ms or more",
                doc = "Maximum time from the request to the status of the response.") Duration httpRequestTimeout,
        HttpSettings http,
        @Setting(key = "handler.kafka.topic",
                doc = "Topic that each item is produced to, for type kafka. It must exist, except in the embedded"
                        + " Kafka, and must not be one of Spillway's topics.")
                String kafkaTopic,
        @Setting(key = "handler.class",
                doc = "Java class that implements Handler, for type class. It must be public and on the class path, and"
                        + " have a public constructor without parameters.") String className,
        PullSettings pull) {

    /** Available handlers. */
    public enum Type { LOG, HTTP, KAFKA, CLASS, PULL }

    public HandlerSettings {
        if (type == Type.HTTP) {
            UrlTemplate.problem(httpUrl).ifPresent(problem -> {
                // It may contain a password.
                String shown = httpUrl.contains("@") ? "***" : httpUrl;
                throw new InvalidSettingException("handler.http.url", shown, problem);
            });
        }
        AllowedRange.check(HandlerSettings.class, type, httpUrl, httpConnectTimeout, httpRequestTimeout, http,
                kafkaTopic, className, pull);
        if (type == Type.KAFKA && kafkaTopic.isEmpty()) {
            throw new InvalidSettingException("handler.kafka.topic", kafkaTopic, "must be a topic");
        }
        if (type == Type.CLASS && className.isEmpty()) {
            throw new InvalidSettingException(
                    "handler.class", className, "must be a class that implements io.spillway.handler.Handler");
        }
    }
}
