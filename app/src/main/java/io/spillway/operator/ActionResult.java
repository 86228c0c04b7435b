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
    ActionResult withNote(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new ActionResult(sentence, json, more, stored);
    }
}
