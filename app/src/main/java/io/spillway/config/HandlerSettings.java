package io.spillway.config;

import java.net.URI;
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
        URI httpUrl,
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
        if (type == Type.HTTP && (httpUrl.getHost() == null
                || !("http".equals(httpUrl.getScheme()) || "https".equals(httpUrl.getScheme())))) {
            throw new InvalidSettingException("handler.http.url", httpUrl, "must be http://HOST… or https://HOST…");
        }
        if (type == Type.KAFKA && kafkaTopic.isEmpty()) {
            throw new InvalidSettingException("handler.kafka.topic", kafkaTopic, "must be a topic");
        }
        if (type == Type.CLASS && className.isEmpty()) {
            throw new InvalidSettingException("handler.class", className, "must be a class that implements io.spillway.worker.Handler");
        }
    }
}
