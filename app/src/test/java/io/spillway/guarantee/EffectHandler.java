package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Handler for processes under test. Each call writes a record to a separate topic, outside of any transaction, and then
 * follows the item's payload: {@code ok}, {@code fail}, {@code dead}, {@code halt} (ends the process at once),
 * {@code exit} (ends it in order), {@code hang} (ignores interrupts for 5 s), {@code hold} (does not end with
 * {@value #HOLD} in the environment), or a duration in milliseconds.
 */
public final class EffectHandler implements Handler {
    /** System properties for the destination of the records. */
    public static final String BOOTSTRAP = "spillway.effects.bootstrap";
    public static final String TOPIC = "spillway.effects.topic";
    /** Environment variable with which items of payload {@code hold} do not end. */
    public static final String HOLD = "EFFECTS_HOLD";

    private final String topic = System.getProperty(TOPIC);
    private final Producer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", System.getProperty(BOOTSTRAP), "acks", "all", "linger.ms", "1"),
            new ByteArraySerializer(),
            new ByteArraySerializer());

    /** Returns the environment of a process of a scene with this handler, with more settings. */
    static Map<String, String> environment(DeliveryScene scene, String topic, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(scene.environment());
        environment.putAll(more);
        environment.put("JAVA_TOOL_OPTIONS", "-D" + BOOTSTRAP + "="
                + environment.get("SPILLWAY_KAFKA_BOOTSTRAP_SERVERS") + " -D" + TOPIC + "=" + topic);
        return environment;
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        String payload = new String(delivery.payload(), StandardCharsets.UTF_8);
        byte[] effect = bytes(payload + " " + delivery.attempt());
        producer.send(new ProducerRecord<>(topic, bytes(delivery.id()), effect)).get();
        switch (payload) {
            case "ok" -> { }
            case "fail" -> throw new IllegalStateException("fails as requested");
            case "dead" -> {
                return Outcome.dead("dead as requested");
            }
            case "halt" -> Runtime.getRuntime().halt(9);
            case "halt-early" -> {
                if (delivery.position().contains(".ingress-")) {
                    Runtime.getRuntime().halt(9);
                }
            }
            case "exit" -> System.exit(8);
            case "hang" -> hang();
            case "hold" -> hold();
            default -> LockSupport.parkNanos(Long.parseLong(payload) * 1_000_000);
        }
        return Outcome.done();
    }

    @Override
    public void close() {
        producer.close();
    }

    private static void hang() {
        long until = System.nanoTime() + 5_000_000_000L;
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static void hold() throws InterruptedException {
        if (System.getenv(HOLD) != null) {
            new CountDownLatch(1).await();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
