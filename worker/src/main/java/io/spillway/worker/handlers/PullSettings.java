package io.spillway.worker.handlers;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.text.UrlTemplate;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerException;
import io.spillway.handler.HandlerType;

/** Settings of handler type {@code pull}: where external workers lease items, and the files of its secrets. */
public record PullSettings(
        @Setting(key = "handler.pull.host", defaultValue = "127.0.0.1",
                doc = "Address on which external workers lease items, for type pull. Its TLS and its limits are those"
                        + " of `gateway.tls` and `gateway.limits`.") String host,
        @Setting(key = "handler.pull.port", defaultValue = "8081", allowed = "0 to 65535",
                doc = "Port on which external workers lease items; 0 selects a free one.") int port,
        @Setting(key = "handler.pull.keyFile", defaultNote = "`worker.key` in the data directory",
                doc = "File that contains the key of the external workers, 16 characters or more.") String keyFile,
        @Setting(key = "handler.pull.receiptKeyFile", defaultNote = "a new key at each start",
                doc = "File that contains the key that signs receipts, 16 characters or more. With the same one in all"
                        + " processes, a receipt sent to the wrong process is answered 409 instead of 400.")
                String receiptKeyFile,
        @Setting(key = "handler.pull.advertisedUrl", defaultValue = "",
                doc = "URL at which the other processes reach this port, such as `http://10.0.0.7:8081`. An answer that"
                        + " was sent to another process is then forwarded to it. All processes need the same keyFile and"
                        + " receiptKeyFile. Empty: answers are not forwarded.") String advertisedUrl,
        @Setting(key = "handler.pull.destinationFrom", defaultValue = "",
                doc = "Attribute, or header, of an item that names the destination of its work. Empty: all items have"
                        + " one.") String destinationFrom) {
    /** Checks the values; throws {@link InvalidSettingException}. */
    public PullSettings {
        AllowedRange.check(PullSettings.class, host, port, keyFile, receiptKeyFile, advertisedUrl, destinationFrom);
        if (!advertisedUrl.isEmpty()) {
            String allowed = "must be http://HOST:PORT or https://HOST:PORT";
            if (UrlTemplate.problem(advertisedUrl).isPresent() || advertisedUrl.matches(".*[{?].*|.*//.*/.*")) {
                throw new InvalidSettingException(
                        "handler.pull.advertisedUrl", advertisedUrl.contains("@") ? "***" : advertisedUrl, allowed);
            }
            if (receiptKeyFile.isEmpty()) {
                throw new InvalidSettingException("handler.pull.advertisedUrl", advertisedUrl,
                        "needs handler.pull.receiptKeyFile, with the same key in all processes");
            }
        }
    }

    /** Handler type {@code pull}; {@code spillway run} creates its handler together with an HTTP server. */
    public static final class Type implements HandlerType<PullSettings> {
        @Override
        public String name() {
            return "pull";
        }

        @Override
        public Class<PullSettings> settings() {
            return PullSettings.class;
        }

        @Override
        public Handler create(PullSettings settings, HandlerContext context) {
            throw new HandlerException(
                    "handler.type = pull needs the HTTP server of spillway run. Set another type.", null);
        }
    }
}
