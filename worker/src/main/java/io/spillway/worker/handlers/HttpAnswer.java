package io.spillway.worker.handlers;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Response to a request: status, headers, and the first part of the body. The rest of the body is
 * read and dropped, so that the connection can be used again, up to {@link #MAX_READ} and {@link #MAX_MILLIS}; then the
 * connection is closed. A body that is slow, cut off or malformed is no error, because the destination has decided by
 * the status; who needs the body asks {@link #isFull}.
 */
final class HttpAnswer implements HttpResponse.BodyHandler<Void>, HttpResponse.BodySubscriber<Void> {
    /** Bytes that are kept. */
    static final int MAX_KEPT = 2_000;
    static final int MAX_READ = 64 * 1024;
    static final long MAX_MILLIS = 1_000;

    private static final byte[] NOTHING = {};

    /** Whether the body came in full; fails if it is late. */
    private final CompletableFuture<Boolean> end = new CompletableFuture<>();
    private final CompletionStage<Void> closed = end.handle((full, late) -> closed(late != null));
    private volatile HttpResponse.ResponseInfo info;
    private final int maxResult;
    private byte[] kept = NOTHING;
    /** Most bytes to keep. */
    private int limit;
    private int length;
    private long read;
    private Flow.Subscription subscription;

    private HttpAnswer(int maxResult) {
        this.maxResult = maxResult;
    }

    /**
     * Sends a request and returns the response; throws if there is none.
     *
     * @param maxResult bytes of the body of a success that are kept
     */
    static HttpAnswer to(HttpRequest request, HttpClient client, int maxResult)
            throws IOException, InterruptedException {
        HttpAnswer answer = new HttpAnswer(maxResult);
        try {
            client.send(request, answer);
        } catch (IOException e) {
            if (answer.info == null) {
                throw e;
            }
        }
        return answer;
    }

    int status() {
        return info.statusCode();
    }

    HttpHeaders headers() {
        return info.headers();
    }

    /** Returns what is kept of the body. */
    synchronized String body() {
        return new String(kept, 0, length, StandardCharsets.UTF_8).strip();
    }

    /** Returns whether the body was read to its end. */
    boolean isFull() {
        return end.state() == Future.State.SUCCESS && end.resultNow();
    }

    @Override
    public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo responseInfo) {
        limit = responseInfo.statusCode() / 100 == 2 ? maxResult : MAX_KEPT;
        info = responseInfo;
        return this;
    }

    @Override
    public CompletionStage<Void> getBody() {
        return closed;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
        subscription = newSubscription;
        end.orTimeout(MAX_MILLIS, TimeUnit.MILLISECONDS);
        newSubscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (isOverAfter(buffers)) {
            subscription.cancel();
            end.complete(false);
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onError(Throwable error) {
        end.complete(false);
    }

    @Override
    public void onComplete() {
        end.complete(true);
    }

    private synchronized boolean isOverAfter(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
            int taken = Math.min(buffer.remaining(), limit - length);
            if (length + taken > kept.length) {
                kept = Arrays.copyOf(kept, Math.min(limit, Math.max(2 * kept.length, length + taken)));
            }
            buffer.get(kept, length, taken);
            length += taken;
        }
        return read > Math.max(MAX_READ, limit);
    }

    private Void closed(boolean isLate) {
        if (isLate) {
            subscription.cancel();
        }
        return null;
    }
}
