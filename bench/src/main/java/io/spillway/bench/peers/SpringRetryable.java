package io.spillway.bench.peers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring for Apache Kafka: a listener with {@code @RetryableTopic}, whose failures go through retry topics of 1, 2, 4,
 * 8
 * and 10 s. With threads there is one for each partition, which is all that a consumer group allows, whatever the
 * slots.
 * Asynchronously the listener returns futures, and a semaphore keeps to the slots; a consumer polls again when all that
 * it polled is done.
 */
public final class SpringRetryable implements QueueUnderTest {
    /** The first one, then waits of 1, 2, 4 and 8 s and seven of 10: 85 s, longer than an outage of a minute. */
    private static final String ATTEMPTS = "12";

    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    private final PeerSetup setup;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final AtomicInteger givenUp = new AtomicInteger();

    private SpringRetryable(PeerSetup setup, boolean threads) {
        this.setup = setup;
        context.registerBean("peer", PeerSetup.class, () -> setup);
        context.register(Wiring.class);
        if (threads) {
            context.registerBean("listener", BlockingListener.class, () -> new BlockingListener(setup, givenUp));
        } else {
            context.registerBean("listener", FutureListener.class, () -> new FutureListener(setup, givenUp));
        }
        context.refresh();
        Assignments.awaitConsumerGroup(setup, this);
    }

    /** Starts one with a thread for each partition. */
    public static SpringRetryable threads(PeerSetup setup) {
        return new SpringRetryable(setup, true);
    }

    /** Starts one whose listener returns futures, as many at one time as there are slots. */
    public static SpringRetryable futures(PeerSetup setup) {
        return new SpringRetryable(setup, false);
    }

    @Override
    public boolean isRunning() {
        return context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainers().stream()
                .allMatch(MessageListenerContainer::isRunning);
    }

    @Override
    public int givenUp() {
        return givenUp.get();
    }

    /** The topics that Spring made go with it. */
    @Override
    public void close() {
        context.close();
        try {
            List<String> made = setup.admin().listTopics().names().get().stream()
                    .filter(name -> name.startsWith(setup.topic() + "-"))
                    .toList();
            setup.admin().deleteTopics(made).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot delete the retry topics of " + setup.topic(), e.getCause());
        }
    }

    /** That an item is not done; its stack says nothing. */
    private static final class NotDone extends RuntimeException {
        NotDone(String message) {
            super(message, null, false, false);
        }
    }

    /** The beans that Spring Boot would make, with Spring's defaults. */
    @Configuration(proxyBeanMethods = false)
    @EnableKafkaRetryTopic
    static class Wiring {
        @Bean
        ConcurrentKafkaListenerContainerFactory<byte[], byte[]> kafkaListenerContainerFactory(PeerSetup peer) {
            ConcurrentKafkaListenerContainerFactory<byte[], byte[]> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(peer.consumer()));
            factory.setConcurrency(Math.min(peer.partitions(), peer.slots()));
            factory.getContainerProperties().setStopImmediate(true);
            factory.getContainerProperties().setShutdownTimeout(STOP_LIMIT.toMillis());
            return factory;
        }

        @Bean
        KafkaTemplate<byte[], byte[]> kafkaTemplate(PeerSetup peer) {
            return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, peer.bootstrapServers(),
                    ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class,
                    ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class)));
        }

        @Bean
        KafkaAdmin kafkaAdmin(PeerSetup peer) {
            return new KafkaAdmin(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, peer.bootstrapServers()));
        }

        @Bean
        ThreadPoolTaskScheduler taskScheduler() {
            return new ThreadPoolTaskScheduler();
        }
    }

    /** What both listeners have: the slots' handler, and a count of what is given up. */
    abstract static class Listener {
        final PeerSetup setup;
        private final AtomicInteger givenUp;

        Listener(PeerSetup setup, AtomicInteger givenUp) {
            this.setup = setup;
            this.givenUp = givenUp;
        }

        void handle(ConsumerRecord<byte[], byte[]> item) {
            try {
                if (!setup.handler().handle(item.key(), item.value())) {
                    throw new NotDone("the destination is down");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new NotDone("interrupted");
            }
        }

        @DltHandler
        public void dead(ConsumerRecord<byte[], byte[]> item) {
            givenUp.incrementAndGet();
        }
    }

    /** Handles on the container's threads. */
    static class BlockingListener extends Listener {
        BlockingListener(PeerSetup setup, AtomicInteger givenUp) {
            super(setup, givenUp);
        }

        @RetryableTopic(
                attempts = ATTEMPTS,
                numPartitions = "#{@peer.partitions()}",
                replicationFactor = "1",
                kafkaTemplate = "kafkaTemplate",
                backOff =
                        @BackOff(
                                delay = PeerBackoff.BASE_MILLIS, multiplier = PeerBackoff.MULTIPLIER,
                                maxDelay = PeerBackoff.CAP_MILLIS))
        @KafkaListener(topics = "#{@peer.topic()}", groupId = "#{@peer.group()}")
        public void listen(ConsumerRecord<byte[], byte[]> item) {
            handle(item);
        }
    }

    /** Handles on virtual threads; the container's thread waits where all slots are taken. */
    static class FutureListener extends Listener {
        private final Semaphore slots;

        FutureListener(PeerSetup setup, AtomicInteger givenUp) {
            super(setup, givenUp);
            this.slots = new Semaphore(setup.slots());
        }

        @RetryableTopic(
                attempts = ATTEMPTS,
                numPartitions = "#{@peer.partitions()}",
                replicationFactor = "1",
                kafkaTemplate = "kafkaTemplate",
                backOff =
                        @BackOff(
                                delay = PeerBackoff.BASE_MILLIS, multiplier = PeerBackoff.MULTIPLIER,
                                maxDelay = PeerBackoff.CAP_MILLIS))
        @KafkaListener(topics = "#{@peer.topic()}", groupId = "#{@peer.group()}")
        public CompletableFuture<Void> listen(ConsumerRecord<byte[], byte[]> item) throws InterruptedException {
            slots.acquire();
            return CompletableFuture.runAsync(() -> handle(item), task -> Thread.ofVirtual().start(task))
                    .whenComplete((done, failure) -> slots.release());
        }
    }
}
