package io.spillway.worker.handlers;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * First part of the body of a response, as text. The rest is read and dropped, so that the connection can be used
 * again, up to {@link #MAX_READ}; then the connection is closed.
 */
final class BodyHead implements HttpResponse.BodySubscriber<String> {
    /** Bytes that are kept. */
    static final int MAX_KEPT = 2_000;
    static final int MAX_READ = 64 * 1024;

    private final CompletableFuture<String> text = new CompletableFuture<>();
    private final byte[] kept = new byte[MAX_KEPT];
    private int length;
    private long read;
    private Flow.Subscription subscription;

    /** Returns a handler that keeps nothing of a successful response. */
    static HttpResponse.BodyHandler<String> ofFailures() {
        return info -> info.statusCode() / 100 == 2 ? HttpResponse.BodySubscribers.replacing("") : new BodyHead();
    }

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription its) {
        subscription = its;
        its.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
            int taken = Math.min(buffer.remaining(), MAX_KEPT - length);
            buffer.get(kept, length, taken);
            length += taken;
        }
        if (read > MAX_READ) {
            subscription.cancel();
            onComplete();
        } else {
            subscription.request(1);
        }
    }

    /** What arrived before the error is the body. */
    @Override
    public void onError(Throwable error) {
        onComplete();
    }

    @Override
    public void onComplete() {
        text.complete(new String(kept, 0, length, StandardCharsets.UTF_8).strip());
    }
}
