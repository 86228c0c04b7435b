package io.spillway.kafka.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;

/** The schema versions that were ever released, frozen in the jar of the schemas; a reader understands them all. */
public final class ReleasedSchemas {
    private ReleasedSchemas() {}

    /**
     * The released versions of a record.
     *
     * @param record its name without the namespace, for example {@code WorkItem}
     * @return oldest first; empty when it was never released
     */
    public static List<Schema> of(String record) {
        List<Schema> schemas = new ArrayList<>();
        while (true) {
            String path = "/io/spillway/schema/released/" + record + "-" + (schemas.size() + 1) + ".avsc";
            try (InputStream in = ReleasedSchemas.class.getResourceAsStream(path)) {
                if (in == null) {
                    return schemas;
                }
                schemas.add(new Schema.Parser().parse(in));
            } catch (IOException e) {
                throw new UncheckedIOException(path, e);
            }
        }
    }
}
