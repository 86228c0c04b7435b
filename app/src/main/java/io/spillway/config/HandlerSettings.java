package io.spillway.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

/**
 * What the worker does with an item.
 *
 * @param type               which handler
 * @param httpUrl            where an item is posted to; for {@link Type#HTTP}
 * @param httpConnectTimeout most time to open a connection
 * @param httpRequestTimeout most time from the request to the status of the answer
 * @param kafkaTopic         topic an item is produced to; for {@link Type#KAFKA}
 * @param className          a Java handler on the class path; for {@link Type#CLASS}
 */
public record HandlerSettings(
        Type type,
        String httpUrl,
        Duration httpConnectTimeout,
        Duration httpRequestTimeout,
        String kafkaTopic,
        String className) {

    /** The handlers there are. */
    public enum Type {
        LOG,
        HTTP,
        KAFKA,
        CLASS
    }

    public HandlerSettings {
        if (type == Type.HTTP && !isHttp(httpUrl)) {
            throw new InvalidSettingException("handler.http.url", httpUrl, "must be http://HOST... or https://HOST...");
        }
        if (httpConnectTimeout.isZero()) {
            throw new InvalidSettingException("handler.http.connectTimeout", "0ms", "must be 1ms or more");
        }
        if (httpRequestTimeout.isZero()) {
            throw new InvalidSettingException("handler.http.requestTimeout", "0ms", "must be 1ms or more");
        }
        if (type == Type.KAFKA && kafkaTopic.isEmpty()) {
            throw new InvalidSettingException("handler.kafka.topic", kafkaTopic, "must be a topic");
        }
        if (type == Type.CLASS && className.isEmpty()) {
            throw new InvalidSettingException("handler.class", className, "must be a class that implements io.spillway.handler.Handler");
        }
    }

    private static boolean isHttp(String url) {
        try {
            URI parsed = new URI(url);
            return parsed.getHost() != null && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
