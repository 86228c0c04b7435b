package io.spillway.router.source;

import io.spillway.config.RecordPlace;
import io.spillway.config.SourceSettings;
import io.spillway.core.item.DeadReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.UnreadableItem;
import io.spillway.router.route.Decider;
import io.spillway.router.route.Decision;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Routing decision for a record of a source: sets the headers of the item that it is, by the settings of the source,
 * and asks the decider of ingress. Key and value stay unchanged. A record without a tenant, or whose fields cannot be
 * read, is a dead letter. Thread-safe.
 */
public final class SourceDecider implements Decider {
    private final List<Mapped> mapped;
    private final RecordFields fields;
    private final Decider ingress;

    private record Mapped(ItemField field, List<RecordPlace> places) {}

    /**
     * Creates the decider of a source.
     *
     * @param ingress decides on the items that its records are
     * @throws io.spillway.core.settings.InvalidSettingException if a file with a schema cannot be read
     */
    public SourceDecider(SourceSettings source, Decider ingress) {
        this.mapped = Arrays.stream(ItemField.values()).map(field -> new Mapped(field, field.places(source)))
                .filter(each -> !each.places().isEmpty()).toList();
        boolean readsValues = mapped.stream().flatMap(each -> each.places().stream()).anyMatch(place ->
                place instanceof RecordPlace.Value || place instanceof RecordPlace.Attribute);
        this.fields = readsValues ? fields(source) : RecordFields.NONE;
        this.ingress = ingress;
    }

    private static RecordFields fields(SourceSettings source) {
        return switch (source.format()) {
            case BYTES -> RecordFields.NONE;
            case JSON -> (value, headers) -> JsonFields.json(value, 0);
            case CLOUDEVENTS -> JsonFields::cloudEvent;
            case AVRO -> new WrittenSchemas(source.schemas());
            case REGISTRY -> new RegistrySchemas(source.registry(), source.registryCredentials());
        };
    }

    @Override
    public Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        if (record.value() != null) {
            try {
                setHeaders(record);
            } catch (UnreadableItem e) {
                return Decision.unreadable(new Route.DeadLetter(e.reason(), e.getMessage()), true);
            }
        }
        return ingress.decide(record, nowMillis);
    }

    private void setHeaders(Record<byte[], byte[]> record) {
        Headers headers = record.headers();
        RecordFields.Fields value = fields.read(record.value(), headers);
        for (Mapped each : mapped) {
            Optional<String> text = text(each.places(), record.key(), headers, value);
            if (text.isPresent()) {
                headers.remove(each.field().header());
                headers.add(each.field().header(),
                        each.field().headerValue(text.get()).getBytes(StandardCharsets.UTF_8));
            } else if (each.field() == ItemField.TENANT) {
                throw new UnreadableItem(DeadReason.BAD_TENANT, "the record has no tenant where its source has one");
            }
        }
    }

    private static Optional<String> text(
            List<RecordPlace> places, byte[] key, Headers headers, RecordFields.Fields value) {
        for (RecordPlace place : places) {
            Optional<String> text = switch (place) {
                case RecordPlace.Key ignored -> Optional.ofNullable(key).map(JsonFields::text);
                case RecordPlace.Header header -> JsonFields.text(headers, header.name());
                case RecordPlace.Value field -> value.at(field.pointer());
                case RecordPlace.Attribute attribute -> value.attribute(attribute.name());
                case RecordPlace.Constant constant -> Optional.of(constant.text());
            };
            if (text.isPresent() && !text.get().isEmpty()) {
                return text;
            }
        }
        return Optional.empty();
    }
}
