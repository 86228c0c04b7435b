package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.Printable;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.RateDecision;
import io.spillway.schema.WorkItem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Batch endpoint: stores the items of one request. Each line is checked on its own and has its own result, in the
 * order of the lines. Nothing is stored if the body is incomplete or has too many lines. Thread-safe.
 */
final class Batch {
    private final int maxLines;
    private final long confirmMillis;
    private final Intake intake;
    private final Responder responder;
    private final ItemIds ids;
    private final InstantSource clock;

    Batch(int maxLines, long confirmMillis, Intake intake, Responder responder, ItemIds ids, InstantSource clock) {
        this.maxLines = maxLines;
        this.confirmMillis = confirmMillis;
        this.intake = intake;
        this.responder = responder;
        this.ids = ids;
        this.clock = clock;
    }

    /** Pending result of a line: the item's id, and a future that completes with the problem, if any. */
    private record Line(String id, CompletableFuture<Optional<Problem>> result) {
        static Line of(Problem problem) {
            return new Line("", CompletableFuture.completedFuture(Optional.of(problem)));
        }
    }

    /** Stores the items of a body and returns when the result of each is known. */
    GatewayResponse store(String tenant, byte[] body, TraceContext trace) {
        List<ByteBuffer> texts = split(body, maxLines + 1);
        if (texts.isEmpty()) {
            return GatewayResponse.of(Problem.of(
                    Problem.Kind.BAD_REQUEST, "The batch is empty. Send one JSON object per line."));
        }
        if (texts.size() > maxLines) {
            return GatewayResponse.of(Problem.of(Problem.Kind.TOO_LARGE, "The batch has more than " + maxLines
                    + " lines and nothing of it is stored. Send smaller batches."));
        }
        JsonItems items = new JsonItems(tenant, "", () -> Instant.ofEpochMilli(clock.millis()), ids::next);
        List<Line> lines = new ArrayList<>(texts.size());
        Optional<RateDecision> rate = Optional.empty();
        for (ByteBuffer text : texts) {
            WorkItem item;
            try {
                item = parse(items, text, tenant);
            } catch (BadLine e) {
                lines.add(Line.of(e.problem));
                continue;
            }
            Admission admission = intake.admit(tenant);
            rate = admission.rate();
            lines.add(Intake.problemOf(admission)
                    .map(Line::of)
                    .orElseGet(() -> new Line(item.getId(), intake.send(item, trace))));
        }
        return response(tenant, lines).with(rate);
    }

    private GatewayResponse response(String tenant, List<Line> lines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(lines.size() * 80);
        for (int i = 0; i < lines.size(); i++) {
            Optional<Problem> problem = Intake.await(lines.get(i).result(), confirmMillis);
            ObjectNode json = GatewayResponse.JSON.createObjectNode();
            json.put("line", i + 1);
            if (problem.isPresent()) {
                problem.get().into(json);
            } else {
                json.put("status", 202);
                json.put("id", lines.get(i).id());
                json.put("tenant", tenant);
            }
            responder.countLine(json.get("status").intValue());
            out.writeBytes(GatewayResponse.bytes(json));
            out.write('\n');
        }
        return GatewayResponse.lines(out.toByteArray());
    }

    private static WorkItem parse(JsonItems items, ByteBuffer text, String tenant) throws BadLine {
        try {
            WorkItem item = items.parse(StandardCharsets.UTF_8.newDecoder().decode(text).toString());
            if (!item.getTenant().equals(tenant)) {
                throw new BadLine(Problem.Kind.FORBIDDEN, Intake.OTHER_TENANT);
            }
            if (item.getPayload().remaining() > ItemsApi.MAX_PAYLOAD_BYTES) {
                throw new BadLine(Problem.Kind.TOO_LARGE,
                        "The payload must be at most " + ItemsApi.MAX_PAYLOAD_BYTES + " bytes.");
            }
            return item;
        } catch (CharacterCodingException e) {
            throw new BadLine(Problem.Kind.BAD_REQUEST, "The line is not UTF-8.");
        } catch (JsonProcessingException e) {
            throw new BadLine(
                    Problem.Kind.BAD_REQUEST, "The line is not JSON: " + Printable.of(e.getOriginalMessage()));
        } catch (IllegalArgumentException e) {
            throw new BadLine(Problem.Kind.BAD_REQUEST, Printable.of(e.getMessage()));
        }
    }

    /** Splits a body at line breaks, up to a number of lines. A final line break starts no further line. */
    private static List<ByteBuffer> split(byte[] body, int maxLines) {
        List<ByteBuffer> lines = new ArrayList<>();
        int start = 0;
        while (start < body.length && lines.size() < maxLines) {
            int end = start;
            while (end < body.length && body[end] != '\n') {
                end++;
            }
            lines.add(ByteBuffer.wrap(body, start, end - start));
            start = end + 1;
        }
        return lines;
    }

    private static final class BadLine extends Exception {
        private static final long serialVersionUID = 1;
        private final transient Problem problem;

        BadLine(Problem.Kind kind, String detail) {
            super(null, null, false, false);
            this.problem = Problem.of(kind, detail);
        }
    }
}
