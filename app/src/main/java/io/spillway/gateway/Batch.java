package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.RateDecision;
import io.spillway.core.text.FileText;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.StoredKey;
import io.spillway.schema.WorkItem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Batch endpoint: stores the items of one request. Each line is checked on its own and has its own result, in the
 * order of the lines. Nothing is stored if the body is incomplete or has too many lines. The whole batch has the
 * deadline of a single item; after the first line that Kafka does not confirm, no further line is sent or awaited.
 * Thread-safe.
 */
record Batch(int maxLines, Intake intake, Responder responder, Gateway.Sources sources) {
    /** Pending result of a line: the item's tenant and id, and a future that completes with the problem, if any. */
    private record Line(
            String tenant, String id, CompletableFuture<Optional<Problem>> result, Optional<RateDecision> rate) {
        static Line of(Problem problem, Optional<RateDecision> rate) {
            return new Line("", "", CompletableFuture.completedFuture(Optional.of(problem)), rate);
        }

        static Line notSent() {
            return of(Problem.of(Problem.Kind.NOT_ACCEPTED, "The line was not sent and is not stored, because Kafka"
                    + " did not confirm the lines before it in time. Send it again.", 1_000), Optional.empty());
        }

        /** Returns whether it is known already that Kafka has not confirmed the line. */
        boolean isUnconfirmed() {
            return result.getNow(Optional.empty()).filter(Batch::isUnconfirmed).isPresent();
        }

        static Line invalid(Problem.Kind kind, String detail) {
            return of(Problem.of(kind, detail), Optional.empty());
        }
    }

    /**
     * Stores the items of a body and returns when the result of each is known.
     *
     * @param tenant tenant of all lines; empty if each line names its own, of those that the key may send for
     */
    GatewayResponse store(String tenant, StoredKey key, byte[] body, TraceContext trace) {
        Predicate<String> isAllowed = tenant.isEmpty() ? key::maySend : tenant::equals;
        List<ByteBuffer> texts = split(body, maxLines + 1);
        if (texts.isEmpty()) {
            return GatewayResponse.of(
                    Problem.Kind.BAD_REQUEST, "The batch is empty. Send one JSON object per line.");
        }
        if (texts.size() > maxLines) {
            return GatewayResponse.of(Problem.Kind.TOO_LARGE, "The batch has more than " + maxLines
                    + " lines and nothing of it is stored. Send smaller batches.");
        }
        JsonItems items =
                new JsonItems(tenant, "", () -> Instant.ofEpochMilli(sources.clock().millis()), sources::uuid);
        long deadlineNanos = intake.deadlineNanos();
        List<Line> lines = new ArrayList<>(texts.size());
        boolean isConfirming = true;
        for (ByteBuffer text : texts) {
            isConfirming = isConfirming && intake.canSend(deadlineNanos);
            Line line = isConfirming ? send(items, text, isAllowed, trace) : Line.notSent();
            isConfirming = isConfirming && !line.isUnconfirmed();
            lines.add(line);
        }
        Optional<RateDecision> lastRate = lines.stream().flatMap(line -> line.rate().stream()).reduce((a, b) -> b);
        return response(lines, deadlineNanos).with(tenant.isEmpty() ? Optional.empty() : lastRate);
    }

    private static boolean isUnconfirmed(Problem problem) {
        return problem.kind() == Problem.Kind.NOT_CONFIRMED;
    }

    private Line send(JsonItems items, ByteBuffer text, Predicate<String> isAllowed, TraceContext trace) {
        WrittenItem parsed;
        try {
            parsed = items.read(StandardCharsets.UTF_8.newDecoder().decode(text).toString());
            JsonItems.requireSoon("deliverAt", parsed.deliverAtMillis(), intake.nowMillis());
        } catch (CharacterCodingException e) {
            return Line.invalid(Problem.Kind.BAD_REQUEST, "The line is not UTF-8.");
        } catch (JsonProcessingException e) {
            return Line.invalid(
                    Problem.Kind.BAD_REQUEST, "The line is " + JsonItems.problemOf(e) + ".");
        } catch (IllegalArgumentException e) {
            return Line.invalid(Problem.Kind.BAD_REQUEST, Printable.of(e.getMessage()));
        }
        WorkItem item = parsed.item();
        if (!isAllowed.test(item.getTenant())) {
            return Line.invalid(Problem.Kind.FORBIDDEN, Intake.OTHER_TENANT);
        }
        if (item.getPayload().remaining() > ItemsApi.MAX_PAYLOAD_BYTES) {
            return Line.invalid(Problem.Kind.TOO_LARGE,
                    "The payload must be at most " + ItemsApi.MAX_PAYLOAD_BYTES + " bytes.");
        }
        Admission admission = intake.admit(item.getTenant());
        return Problem.of(admission)
                .map(problem -> Line.of(problem, admission.rate()))
                .orElseGet(() -> new Line(
                        item.getTenant(), item.getId(), intake.send(parsed, trace), admission.rate()));
    }

    private GatewayResponse response(List<Line> lines, long deadlineNanos) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(lines.size() * 80);
        boolean isConfirming = true;
        for (int i = 0; i < lines.size(); i++) {
            ObjectNode json = GatewayResponse.JSON.createObjectNode().put("line", i + 1);
            Optional<Problem> problem =
                    intake.await(lines.get(i).result(), isConfirming ? deadlineNanos : intake.nowNanos());
            isConfirming = isConfirming && problem.filter(Batch::isUnconfirmed).isEmpty();
            if (problem.isPresent()) {
                problem.get().into(json);
            } else {
                json.put("status", 202).put("id", lines.get(i).id()).put("tenant", lines.get(i).tenant());
            }
            responder.lineCounter(json.get("status").intValue()).increment();
            out.writeBytes(GatewayResponse.bytes(json));
            out.write('\n');
        }
        return GatewayResponse.lines(out.toByteArray());
    }

    /**
     * Splits a body at line breaks of any system, up to a number of lines. A final line break starts no further line,
     * and a byte order mark is no part of the first.
     */
    private static List<ByteBuffer> split(byte[] body, int maxLines) {
        List<ByteBuffer> lines = new ArrayList<>();
        int start = FileText.utf8MarkBytes(body);
        while (start < body.length && lines.size() < maxLines) {
            int end = start;
            while (end < body.length && body[end] != '\n' && body[end] != '\r') {
                end++;
            }
            lines.add(ByteBuffer.wrap(body, start, end - start));
            start = end + (end + 1 < body.length && body[end] == '\r' && body[end + 1] == '\n' ? 2 : 1);
        }
        return lines;
    }
}
