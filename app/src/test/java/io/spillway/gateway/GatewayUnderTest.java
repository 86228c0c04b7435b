package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TrackedItems;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.QueueForTests;
import io.spillway.operator.report.FakeReads;
import io.spillway.schema.WorkItem;
import io.spillway.tracing.Tracing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Gateway on a free port with a manual clock and a mock producer. Owner of the gateway and the client. */
final class GatewayUnderTest implements AutoCloseable {
    static final String ADMIN_KEY = "spa_0123456789abcdef0123456789abcdef";
    static final String VIEWER_KEY = "spv_fedcba9876543210fedcba9876543210";

    final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);
    volatile String metricsText = "a_metric 1\n";
    volatile boolean isReachable = true;
    /** Added to the monotonic time. */
    final AtomicLong skippedNanos = new AtomicLong();
    /** Called at the start of each send to Kafka. */
    volatile Runnable onSend = () -> { };
    final ApiKeys keys = new ApiKeys();
    final TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
    final Depths depths = new Depths();
    final Sweeps sweeps = new Sweeps();
    final FakeReads reads = new FakeReads();
    final TrackedItems tracked = new TrackedItems(10, tenant -> policies.of(tenant).isTracked());
    final QueueForTests queue = new QueueForTests();
    final OperatorApi operator;
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final MockProducer<byte[], byte[]> kafka;
    final HttpClient client = HttpClient.newHttpClient();
    final Gateway gateway;
    final String url;
    private final SplittableRandom random = new SplittableRandom(7);

    /** @param settings additional settings: keys and values alternate */
    GatewayUnderTest(boolean autoConfirm, String... settings) {
        this(Tracing.OFF, autoConfirm, settings);
    }

    /** @param settings additional settings: keys and values alternate */
    GatewayUnderTest(Tracing tracing, boolean autoConfirm, String... settings) {
        this.kafka = new MockProducer<>(autoConfirm, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
                onSend.run();
                return super.send(record, callback);
            }
        };
        Map<String, String> all = new HashMap<>(Map.of("gateway.port", "0", "gateway.limits.drainGrace", "5s"));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), all);
        InstantSource clock = () -> Instant.ofEpochMilli(nowMillis.get());
        this.operator = new OperatorApi(
                queue, configuration, queue.log, clock, () -> ThreadLocalRandom.current().nextLong());
        this.gateway = new Gateway(
                configuration,
                new Gateway.Dependencies(
                        policies, keys, AdminKey.of(ADMIN_KEY), Optional.of(AdminKey.of(VIEWER_KEY)), operator, depths,
                        new ProportionalRates(), registry, () -> metricsText, () -> isReachable, sweeps,
                        reads, Optional.of(tracked)),
                tracing,
                new Gateway.Sources(
                        clock,
                        () -> System.nanoTime() + skippedNanos.get(),
                        () -> ThreadLocalRandom.current().nextLong()),
                kafka);
        this.url = gateway.start();
    }

    /** Creates a key for a tenant or a service. */
    String key(String tenant) {
        return key(tenant, 0);
    }

    /** Creates a key that ends at a time; 0 for never. */
    String key(String tenant, long expiresAtMillis) {
        ApiKey key = ApiKey.make(random);
        keys.put(key.keyId(), StoredKey.of(tenant, key, 1, expiresAtMillis).encode());
        return key.text();
    }

    void revoke(String key) {
        keys.remove(ApiKey.parse(key).orElseThrow().keyId());
    }

    void policy(String tenant, PolicySettings settings) {
        policies.put(tenant, TenantPolicies.encode(tenant, settings));
    }

    /** Sets a tenant's balance to a number of items in hot, and none elsewhere. */
    void waits(String tenant, long items) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = items;
        TenantBalance balance = TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts);
        depths.put(tenant, Depths.encode(
                tenant, new Depth(balance, FlowRates.startingAt(nowMillis.get()), GrowingLimit.NONE, 0)));
    }

    /** Sets a tenant's balance to items in hot and completed ones, and its rate of completion. */
    void flows(String tenant, long waiting, long completed, double outPerSecond) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.HOT.ordinal()] = waiting;
        counts[ItemState.DONE.ordinal()] = completed;
        TenantBalance balance = TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts);
        depths.put(tenant, Depths.encode(
                tenant, new Depth(balance, new FlowRates(0, outPerSecond, nowMillis.get()), GrowingLimit.NONE, 0)));
    }

    /** Runs something between two samples of the backlogs, which the gateway takes once a second. */
    void betweenSamples(Runnable requests) {
        synchronized (gateway) {
            requests.run();
        }
    }

    /** Sends a request. @param headers names and values alternate */
    HttpResponse<String> send(String method, String path, String key, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, body.isEmpty()
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request.build());
    }

    HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpResponse<String> post(String key, String body, String... headers) {
        return send("POST", "/v1/items", key, body, headers);
    }

    HttpResponse<String> batch(String key, String body, String... headers) {
        return send("POST", "/v1/items:batch", key, body, headers);
    }

    /** Returns the JSON of an answer, which must have this status. */
    static JsonNode json(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        try {
            return new JsonMapper().readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    /** Opens a connection for bytes that a client would not send; its timeout is only against a hang. */
    Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    int port() {
        return URI.create(url).getPort();
    }

    /** Returns the records that were sent to the ingress topic. */
    List<ProducerRecord<byte[], byte[]>> stored() {
        return kafka.history();
    }

    record Item(String tenant, String id, String workload, String contentType, long enqueuedAtMillis, String payload) {}

    static Item item(byte[] value) {
        GenericRecord record = new RecordCodec<>(new WorkItem()).decode(value);
        return new Item(
                record.get("tenant").toString(), record.get("id").toString(), record.get("workload").toString(),
                record.get("contentType").toString(), (Long) record.get("enqueuedAt"),
                StandardCharsets.UTF_8.decode((ByteBuffer) record.get("payload")).toString());
    }

    @Override
    public void close() {
        gateway.close();
        operator.close();
        client.close();
    }
}
