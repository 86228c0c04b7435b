package io.spillway.webhook;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of handler type webhook. Receivers are in the policies of tenants and subscriptions. */
public record WebhookSettings(
        @Setting(key = "handler.webhook.keys", defaultNote = "none",
                doc = "Directory with the secrets and headers of receivers, for type webhook: a file for each"
                        + " signingKey of a policy, which is read again when it changes.") String keys,
        @Setting(key = "handler.webhook.connectTimeout", defaultValue = "2s", allowed = "1ms or more",
                doc = "Maximum time to open a connection.") Duration connectTimeout,
        @Setting(key = "handler.webhook.requestTimeout", defaultValue = "10s", allowed = "1ms or more",
                doc = "Maximum time from the request to the status of the response.") Duration requestTimeout,
        @Setting(key = "handler.webhook.allowPrivate", defaultValue = "false", allowed = "true or false",
                doc = "Whether URLs may be http and lead to private addresses, for tests and receivers of your own."
                        + " Otherwise such an item is a dead letter.") boolean allowPrivate) {
    public WebhookSettings {
        AllowedRange.check(WebhookSettings.class, keys, connectTimeout, requestTimeout, allowPrivate);
    }
}
