package io.spillway.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Result of an action.
 *
 * @param sentence for people
 * @param json     fields for programs
 * @param notes    what the operator should know besides
 * @param stored   record that running instances apply; empty if none was written
 */
public record ActionResult(
        String sentence, Map<String, Object> json, List<String> notes, Optional<RecordMetadata> stored) {
    /**
     * Returns the result of a change, or of one that would be made.
     *
     * @param dryRun whether nothing was changed
     */
    static ActionResult of(
            boolean dryRun, String sentence, Map<String, Object> json, Optional<RecordMetadata> stored) {
        return new ActionResult((dryRun ? "Nothing is changed. It would be: " : "") + sentence, json, List.of(),
                stored);
    }

    ActionResult withNote(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new ActionResult(sentence, json, more, stored);
    }
}
