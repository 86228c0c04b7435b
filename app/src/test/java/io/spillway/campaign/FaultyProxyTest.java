package io.spillway.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.EndTxnResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;
import org.junit.jupiter.api.Test;

class FaultyProxyTest {
    private static final short VERSION = ApiKeys.END_TXN.latestVersion();
    private static final int REQUESTS = 2_000;

    private static RequestHeader header(int number) {
        return new RequestHeader(ApiKeys.END_TXN, VERSION, "client", number);
    }

    private static ByteBuffer request(int number) {
        return new EndTxnRequest.Builder(
                new EndTxnRequestData().setTransactionalId("t").setProducerId(1), true, true)
                .build(VERSION).serializeWithHeader(header(number));
    }

    /** Answers every request without an error, and returns the number of requests that it has had. */
    private static int serve(ServerSocket server) throws IOException {
        int served = 0;
        try (Socket socket = server.accept()) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (int size = in.readInt(); ; size = in.readInt()) {
                ByteBuffer bytes = ByteBuffer.wrap(in.readNBytes(size));
                ResponseHeader header = RequestHeader.parse(bytes).toResponseHeader();
                write(RequestUtils.serialize(
                        header.data(), header.headerVersion(), new EndTxnResponseData(), VERSION), out);
                served++;
            }
        } catch (IOException closed) {
            return served;
        }
    }

    private static void write(ByteBuffer message, DataOutputStream out) throws IOException {
        out.writeInt(message.remaining());
        out.write(message.array(), message.position(), message.remaining());
    }

    @Test
    void a_tenth_of_the_answers_are_errors_in_the_order_of_the_requests_and_half_of_these_are_carried_out()
            throws Exception {
        List<Integer> served = new ArrayList<>();
        Map<Errors, Integer> errors = new TreeMap<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                FaultyProxy proxy = new FaultyProxy(server.getLocalPort())) {
            proxy.set(FaultyProxy.State.ERRORS);
            Thread serving = Thread.ofVirtual().start(() -> {
                try {
                    served.add(serve(server));
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
                DataOutputStream out = new DataOutputStream(client.getOutputStream());
                DataInputStream in = new DataInputStream(client.getInputStream());
                for (int i = 0; i < REQUESTS; i++) {
                    write(request(i), out);
                    if (i % 5 == 4) {
                        for (int j = i - 4; j <= i; j++) {
                            AbstractResponse answer = AbstractResponse.parseResponse(
                                    ByteBuffer.wrap(in.readNBytes(in.readInt())), header(j));
                            errors.merge(((EndTxnResponse) answer).error(), 1, Integer::sum);
                        }
                    }
                }
            }
            serving.join();
        }
        int failed = REQUESTS - errors.remove(Errors.NONE);
        assertThat(failed).isBetween(REQUESTS / 20, REQUESTS / 5);
        assertThat(errors.keySet()).containsExactlyInAnyOrder(
                Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR, Errors.COORDINATOR_LOAD_IN_PROGRESS,
                Errors.CONCURRENT_TRANSACTIONS, Errors.UNKNOWN_SERVER_ERROR);
        assertThat(REQUESTS - served.getFirst()).isBetween(failed / 4, failed * 3 / 4);
    }

    @Test
    void requests_without_errors_pass_while_a_broker_answers_with_errors() {
        ByteBuffer versions = ByteBuffer.allocate(8).putShort(0, ApiKeys.API_VERSIONS.id);

        assertThat(BrokerErrors.answer(versions, new SplittableRandom(1))).isEmpty();
    }
}
