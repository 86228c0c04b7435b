package io.spillway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Ingress;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;

/** Objects of the Helm chart as Helm renders them from some values. */
record HelmChart(List<JsonNode> objects) {
    static final Path DIRECTORY = Path.of("..", "deploy", "helm", "spillway");
    /** The least that an installation needs. */
    static final String LEAST = "config: {kafka: {bootstrapServers: 'kafka-1:9092'}}\n";
    /** A value for nearly everything. */
    static final String ALL = """
            config:
              kafka:
                bootstrapServers: 'kafka-1:9092,kafka-2:9092'
                properties: {security.protocol: SSL, ssl.truststore.location: /etc/spillway/kafka/trust.p12}
              topics: {partitions: 24, maxBytes: 5000000}
              handler: {type: pull}
            kafka: {propertiesSecret: kafka-login, filesSecret: kafka-trust}
            ports: {gateway: 8443, metrics: 9500}
            javaOptions: -Xmx1g
            serviceAccountName: spillway
            image: {repository: registry.example/spillway, tag: 1.2.3, pullSecrets: [{name: pull}]}
            gateway:
              adminKeySecret: admin
              tlsSecret: certificate
              env: [{name: SPILLWAY_METRICS_TENANTS, value: '50'}]
              nodeSelector: {pool: edge}
              ingress: {host: queue.example, className: nginx, tlsSecret: web, annotations: {a: b}}
              httpRoute: {parentRefs: [{name: public}], hostnames: [queue.example]}
            router: {volume: {storageClassName: fast}}
            networkPolicy:
              enabled: true
              gatewayFrom: [{podSelector: {matchLabels: {app: shop}}}]
              metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
            worker:
              autoscaling: {type: keda, waitingPerWorker: 2000000}
              pull: {port: 8081}
              sidecars: [{name: work, image: 'registry.example/work:1'}]
            monitoring:
              serviceMonitor: {enabled: true}
              rules: {enabled: true}
              dashboard: {enabled: true}
            """;
    private static final String RELEASE = "queue";
    /** The oldest version that the chart names. */
    private static final String KUBERNETES = "1.30.0";

    private interface Check {
        void accept(JsonElement object) throws IOException;
    }

    /** What refuses fields that Kubernetes does not know, or misses, by kind. */
    private static final Map<String, Check> CHECKS = Map.of(
            "ConfigMap", V1ConfigMap::validateJsonElement,
            "Deployment", V1Deployment::validateJsonElement,
            "HorizontalPodAutoscaler", V2HorizontalPodAutoscaler::validateJsonElement,
            "Ingress", V1Ingress::validateJsonElement,
            "Job", V1Job::validateJsonElement,
            "NetworkPolicy", V1NetworkPolicy::validateJsonElement,
            "PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement,
            "Secret", V1Secret::validateJsonElement,
            "Service", V1Service::validateJsonElement,
            "StatefulSet", V1StatefulSet::validateJsonElement);

    /** Renders the chart. */
    static HelmChart render(Path directory, String values) {
        return of(manifests(directory, values));
    }

    static HelmChart of(String manifests) {
        try (Stream<JsonNode> documents = stream(manifests)) {
            return new HelmChart(documents.filter(JsonNode::isObject).toList());
        }
    }

    /** Returns what Helm prints. */
    static String manifests(Path directory, String values) {
        return new Helm(DIRECTORY).template()
                .withName(RELEASE).withNamespace("work").withKubeVersion(KUBERNETES)
                .withValuesFile(file(directory, values)).call();
    }

    /** Lints the chart with its own values, which have no cluster. */
    static LintResult lint() {
        return new Helm(DIRECTORY).lint().strict().call();
    }

    /** Returns the only object of this kind whose name has this ending. */
    JsonNode object(String kind, String ending) {
        List<JsonNode> found = kind(kind).filter(each -> name(each).endsWith(ending)).toList();
        if (found.size() != 1) {
            throw new NoSuchElementException(found.size() + " objects of kind " + kind + " named *" + ending);
        }
        return found.getFirst();
    }

    Stream<JsonNode> kind(String kind) {
        return objects.stream().filter(each -> each.path("kind").textValue().equals(kind));
    }

    /** Returns the pod templates, that of the job with the topics included. */
    List<JsonNode> pods() {
        return objects.stream().map(each -> each.at("/spec/template")).filter(JsonNode::isObject).toList();
    }

    /** Returns the pod template of a role. */
    JsonNode pod(String role) {
        return pods().stream().filter(each -> component(each).equals(role)).findFirst().orElseThrow();
    }

    /** Returns the only container of a role's pod. */
    JsonNode container(String role) {
        return pod(role).at("/spec/containers/0");
    }

    /** Returns the configuration that all roles share, from a file in a directory. */
    Configuration configuration(Path directory) throws IOException {
        return configuration(directory, Map.of());
    }

    /** Returns the configuration of a role: that of all, and what its environment sets. */
    Configuration configuration(Path directory, String role) throws IOException {
        Map<String, String> environment = new HashMap<>();
        container(role).path("env").forEach(each -> {
            if (each.has("value")) {
                environment.put(each.get("name").textValue(), each.get("value").textValue());
            }
        });
        return configuration(directory, environment);
    }

    private Configuration configuration(Path directory, Map<String, String> environment) throws IOException {
        Path file = Files.writeString(directory.resolve("spillway.yml"), configured());
        return ConfigurationLoader.load(Optional.of(file), environment, Map.of());
    }

    /** Returns the text of the file spillway.yml. */
    String configured() {
        return object("Secret", "-config").at("/stringData").get("spillway.yml").textValue();
    }

    /** Fails if Kubernetes would refuse or ignore a field of an object of its own. */
    static void check(JsonNode object) throws IOException {
        CHECKS.get(object.get("kind").textValue()).accept(JsonParser.parseString(object.toString()));
    }

    static String component(JsonNode labelled) {
        return labelled.at("/metadata/labels").path("app.kubernetes.io/component").asText();
    }

    static String name(JsonNode object) {
        return object.at("/metadata/name").textValue();
    }

    private static Stream<JsonNode> stream(String documents) {
        try {
            return new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(documents).readAll().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path file(Path directory, String values) {
        try {
            return Files.writeString(Files.createTempFile(directory, "values", ".yaml"), values);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
