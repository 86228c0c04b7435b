package io.spillway.bench.gateway;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.bench.support.Scene;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.gateway.AdminKey;
import io.spillway.gateway.Gateway;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.ActionLog;
import io.spillway.operator.KafkaQueue;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.report.KafkaReads;
import io.spillway.runtime.CompactedTopics;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What takes items over HTTP: the gateway, or the least that could.
 *
 * @param port  where
 * @param keys  of the tenants, by name
 * @param end   ends it
 */
public record FrontDoor(int port, Map<String, String> keys, Runnable end) implements AutoCloseable {
    static final String QUIET = "quiet";
    /** A name whose shard of ingress is the quiet tenant's: with 12 partitions and the seed 0 all four are shared. */
    static final String NOISY = "noisy-13";

    /**
     * The gateway as shipped, with two tenants.
     *
     * @param noisyPerSecond admission rate of the noisy tenant, with a burst of as much; empty for default settings
     */
    static FrontDoor gateway(Scene scene, OptionalInt noisyPerSecond) {
        ApiKeys keys = new ApiKeys();
        TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
        Gateway gateway = new Gateway(
                scene.configuration(),
                new Gateway.Dependencies(
                        policies,
                        keys,
                        AdminKey.of("0123456789abcdef"),
                        Optional.empty(),
                        operator(scene.configuration(), InstantSource.system()),
                        new Depths(),
                        new ProportionalRates(),
                        new SimpleMeterRegistry(),
                        () -> "",
                        () -> true,
                        new Sweeps(),
                        new KafkaReads(new KafkaClients(scene.configuration().queue()), InstantSource.system()),
                        Optional.empty()),
                new Gateway.Sources(
                        InstantSource.system(),
                        System::nanoTime,
                        () -> ThreadLocalRandom.current().nextLong()));
        Map<String, String> held = Map.of(
                QUIET, key(keys, policies, QUIET, OptionalInt.of(10_000_000)), NOISY,
                key(keys, policies, NOISY, noisyPerSecond));
        return new FrontDoor(URI.create(gateway.start()).getPort(), held, gateway::close);
    }

    private static OperatorApi operator(Configuration configuration, InstantSource clock) {
        return new OperatorApi(
                new KafkaQueue(configuration, clock, () -> new CompactedTopics(configuration, clock)), configuration,
                new ActionLog(1), clock, () -> ThreadLocalRandom.current().nextLong());
    }

    /** A producer behind the same HTTP server with the same settings: it reads the body, sends it, waits, answers. */
    static FrontDoor bare(Scene scene) {
        Producer<byte[], byte[]> producer =
                new KafkaClients(scene.configuration().queue()).producer(Map.of("linger.ms", 0));
        byte[] tenant = QUIET.getBytes(StandardCharsets.US_ASCII);
        WebServer server = WebServer.builder()
                .host("127.0.0.1")
                .port(0)
                .shutdownHook(false)
                .shutdownGracePeriod(Duration.ofMillis(500))
                .useNio(false)
                .routing((HttpRouting.Builder routing) -> routing.any((request, response) ->
                        take(request, response, producer, scene.input(), tenant)))
                .build()
                .start();
        return new FrontDoor(server.port(), Map.of(QUIET, "none"), () -> {
            server.stop();
            producer.close();
        });
    }

    @Override
    public void close() {
        end.run();
    }

    private static void take(
            ServerRequest request,
            ServerResponse response,
            Producer<byte[], byte[]> producer,
            String topic,
            byte[] tenant) {
        try {
            producer.send(new ProducerRecord<>(topic, tenant, request.content().as(byte[].class))).get();
            response.status(202).send("{\"id\":\"00000000-0000-7000-8000-000000000000\",\"tenant\":\"quiet\"}");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String key(ApiKeys keys, TenantPolicies policies, String tenant, OptionalInt perSecond) {
        ApiKey key = ApiKey.make(new SecureRandom());
        keys.put(key.keyId(), StoredKey.of(tenant, key, 0).encode());
        perSecond.ifPresent(rate -> policies.put(tenant, TenantPolicies.encode(tenant, PolicySettings.NONE_SET
                .with(PolicyField.ADMISSION_RATE, Integer.toString(rate))
                .with(PolicyField.ADMISSION_BURST, Integer.toString(rate)))));
        return key.text();
    }
}
