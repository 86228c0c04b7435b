package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.InstantSource;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sender of the requests for items, with what the files of the settings hold now.
 *
 * <p>The client is replaced when a file has changed, and every {@value #RENEWED_MILLIS} ms, so that a name whose
 * addresses have changed is looked up again although its old connections still work.
 *
 * <p>A server may close a kept connection while a request is on its way. A request whose connection ends before a byte
 * of the response is therefore sent once more, on a new connection.
 *
 * <p>Thread-safe.
 */
final class HttpSender implements AutoCloseable {
    static final long RENEWED_MILLIS = 300_000;

    private static final Logger LOG = LoggerFactory.getLogger(HttpSender.class);
    private static final long LOOK_AGAIN_MILLIS = 1_000;
    private static final String BAD_FILES =
            "A file of the HTTP handler has changed and cannot be used; what it held before is. {}";

    private final HttpSettings settings;
    private final InstantSource clock;
    private volatile Setup setup;
    private volatile long lookedAtMillis;
    private Optional<HttpClient> replaced = Optional.empty();

    /** What is made from files, and their state. */
    private record Setup(
            HttpRequests requests, Optional<SSLContext> tls, HttpClient client, String files, long sinceMillis) {}

    /** Reads the files; throws {@link InvalidSettingException} when one cannot be used. */
    HttpSender(HttpSettings settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
        this.lookedAtMillis = clock.millis();
        this.setup = read(SecretFile.stateOf(settings.files()), lookedAtMillis);
    }

    /** Opens a connection to the URL. */
    void connect(URI url) throws IOException, InterruptedException {
        setup.client().send(HttpRequest.newBuilder(url).timeout(settings.requestTimeout()).HEAD().build(),
                HttpResponse.BodyHandlers.discarding());
    }

    /** Maker of the request of a call. */
    interface Call {
        HttpRequest with(HttpRequests requests) throws HttpRequests.UnsendableException;
    }

    /**
     * Sends a request; once more if the destination refuses the credentials and a file holds others now.
     *
     * @param maxResult bytes of the body of a success that are kept
     */
    HttpAnswer send(Call call, int maxResult)
            throws HttpRequests.UnsendableException, IOException, InterruptedException {
        Setup used = current(LOOK_AGAIN_MILLIS);
        HttpAnswer answer = send(used, call, maxResult);
        if (!StatusRules.isRefusal(answer.status())) {
            return answer;
        }
        Setup now = current(0);
        return now.files().equals(used.files()) ? answer : send(now, call, maxResult);
    }

    @Override
    public synchronized void close() {
        setup.client().shutdownNow();
        replaced.ifPresent(HttpClient::shutdownNow);
    }

    private HttpAnswer send(Setup with, Call call, int maxResult)
            throws HttpRequests.UnsendableException, IOException, InterruptedException {
        HttpRequest request = call.with(with.requests());
        try {
            return HttpAnswer.to(request, with.client(), maxResult);
        } catch (IOException e) {
            if (!isWithoutResponse(e)) {
                throw e;
            }
            // Of a client with connections the next one may be closed too.
            HttpClient without = client(with.tls());
            try {
                return HttpAnswer.to(request, without, maxResult);
            } finally {
                without.shutdownNow();
            }
        }
    }

    /** Returns whether the connection was open and ended before the response; Java tells it by the message only. */
    private static boolean isWithoutResponse(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains("received no bytes") || message.contains("Connection reset")
                || message.contains("Broken pipe");
    }

    /** Returns the setup by the files as they were at most this long ago. */
    private Setup current(long maxMillis) {
        return isRecent(clock.millis(), maxMillis) ? setup : look(maxMillis);
    }

    /** The clock may be set back. */
    private boolean isRecent(long nowMillis, long maxMillis) {
        return Math.abs(nowMillis - lookedAtMillis) < maxMillis;
    }

    private synchronized Setup look(long maxMillis) {
        long nowMillis = clock.millis();
        if (isRecent(nowMillis, maxMillis)) {
            return setup;
        }
        lookedAtMillis = nowMillis;
        Setup old = setup;
        String files = SecretFile.stateOf(settings.files());
        if (!files.equals(old.files())) {
            try {
                replace(read(files, nowMillis));
            } catch (InvalidSettingException e) {
                LOG.warn(BAD_FILES, Printable.of(e.getMessage()));
                setup = new Setup(old.requests(), old.tls(), old.client(), files, old.sinceMillis());
            }
        } else if (nowMillis - old.sinceMillis() >= RENEWED_MILLIS) {
            replace(new Setup(old.requests(), old.tls(), client(old.tls()), files, nowMillis));
        }
        return setup;
    }

    /** Requests on the replaced client go on; the one before has had time for its own. */
    private void replace(Setup by) {
        replaced.ifPresent(HttpClient::shutdown);
        replaced = Optional.of(setup.client());
        setup = by;
    }

    private Setup read(String files, long nowMillis) {
        Optional<SSLContext> tls = settings.tls().isOn()
                ? Optional.of(ClientTls.of(settings.tls())) : Optional.empty();
        return new Setup(new HttpRequests(settings), tls, client(tls), files, nowMillis);
    }

    private HttpClient client(Optional<SSLContext> tls) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(settings.connectTimeout())
                .followRedirects(HttpClient.Redirect.NEVER);
        tls.ifPresent(builder::sslContext);
        return builder.build();
    }
}
