package io.spillway.kafka.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;

/** Released schema versions from the jar of the schemas. They are never edited, and all can be read. */
public final class ReleasedSchemas {
    private ReleasedSchemas() {}

    /** Returns the versions of a record such as {@code WorkItem}, oldest first; empty if there is none. */
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
