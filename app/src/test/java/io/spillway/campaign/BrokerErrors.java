package io.spillway.campaign;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/** Errors with which a broker may answer a request, as Kafka's protocol writes them. Pure. */
final class BrokerErrors {
    private static final List<Errors> OF_LEADERS = List.of(
            Errors.NOT_LEADER_OR_FOLLOWER, Errors.KAFKA_STORAGE_ERROR, Errors.UNKNOWN_SERVER_ERROR);
    private static final List<Errors> OF_COORDINATORS = List.of(
            Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR, Errors.COORDINATOR_LOAD_IN_PROGRESS,
            Errors.UNKNOWN_SERVER_ERROR);
    private static final List<Errors> OF_TRANSACTIONS = List.of(
            Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR, Errors.COORDINATOR_LOAD_IN_PROGRESS,
            Errors.CONCURRENT_TRANSACTIONS, Errors.UNKNOWN_SERVER_ERROR);

    private static final Map<ApiKeys, List<Errors>> ERRORS = new EnumMap<>(Map.ofEntries(
            Map.entry(ApiKeys.PRODUCE, List.of(
                    Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS, Errors.REQUEST_TIMED_OUT,
                    Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.KAFKA_STORAGE_ERROR,
                    Errors.UNKNOWN_SERVER_ERROR)),
            Map.entry(ApiKeys.FETCH, OF_LEADERS),
            Map.entry(ApiKeys.LIST_OFFSETS, OF_LEADERS),
            Map.entry(ApiKeys.METADATA, List.of(Errors.LEADER_NOT_AVAILABLE)),
            Map.entry(ApiKeys.FIND_COORDINATOR, List.of(Errors.COORDINATOR_NOT_AVAILABLE)),
            Map.entry(ApiKeys.OFFSET_FETCH, OF_COORDINATORS),
            Map.entry(ApiKeys.OFFSET_COMMIT, OF_COORDINATORS),
            Map.entry(ApiKeys.TXN_OFFSET_COMMIT, OF_COORDINATORS),
            Map.entry(ApiKeys.JOIN_GROUP, OF_COORDINATORS),
            Map.entry(ApiKeys.SYNC_GROUP, OF_COORDINATORS),
            Map.entry(ApiKeys.HEARTBEAT, OF_COORDINATORS),
            Map.entry(ApiKeys.CONSUMER_GROUP_HEARTBEAT, OF_COORDINATORS),
            Map.entry(ApiKeys.STREAMS_GROUP_HEARTBEAT, OF_COORDINATORS),
            Map.entry(ApiKeys.INIT_PRODUCER_ID, OF_TRANSACTIONS),
            Map.entry(ApiKeys.ADD_PARTITIONS_TO_TXN, OF_TRANSACTIONS),
            Map.entry(ApiKeys.ADD_OFFSETS_TO_TXN, OF_TRANSACTIONS),
            Map.entry(ApiKeys.END_TXN, OF_TRANSACTIONS)));

    private BrokerErrors() {}

    /** Returns the answer with one of its errors to a request, both without their lengths; empty for other requests. */
    static Optional<ByteBuffer> answer(ByteBuffer request, SplittableRandom random) {
        ByteBuffer rest = request.duplicate();
        List<Errors> errors = ERRORS.getOrDefault(ApiKeys.forId(rest.getShort(0)), List.of());
        if (errors.isEmpty()) {
            return Optional.empty();
        }
        RequestHeader header = RequestHeader.parse(rest);
        AbstractResponse response = AbstractRequest
                .parseRequest(header.apiKey(), header.apiVersion(), new ByteBufferAccessor(rest)).request
                .getErrorResponse(0, errors.get(random.nextInt(errors.size())).exception());
        ResponseHeader answered = header.toResponseHeader();
        return Optional.of(RequestUtils.serialize(
                answered.data(), answered.headerVersion(), response.data(), header.apiVersion()));
    }
}
