package io.spillway.cli;

import io.spillway.campaign.Brokers;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * nginx or HAProxy with the configuration that {@code docs/gateway.md} gives, at ports of loopback, in front of two
 * processes {@code a} and {@code b}. Owner of its process. Not thread-safe.
 */
final class ProxyUnderTest implements AutoCloseable {
    /** Of {@code .ci/run}. */
    private static final Path UNPACKED = Path.of("../target/tools/usr/bin").toAbsolutePath().normalize();
    private static final Path PAGE = Path.of("../docs/gateway.md").toAbsolutePath().normalize();
    private static final String NGINX = """
            %s
            pid %2$s/nginx.pid;
            error_log %2$s/error.log notice;
            events {}
            http {
              access_log %2$s/access.log;
              client_body_temp_path %2$s/body;
              proxy_temp_path %2$s/proxy;
              fastcgi_temp_path %2$s/fastcgi;
              uwsgi_temp_path %2$s/uwsgi;
              scgi_temp_path %2$s/scgi;
              include %2$s/site.conf;
            }
            """;

    /** Passed check of a server in HAProxy's statistics, and the number of servers that its configuration has. */
    private static final Pattern CHECKED = Pattern.compile(",L[67]OK,");
    private static final int SERVERS = 6;

    /** Program of a proxy. */
    enum Program {
        HAPROXY("### HAProxy"), NGINX("### nginx");

        private final String heading;

        Program(String heading) {
            this.heading = heading;
        }

        /** Returns where it is: on the path, where Debian has it, or where CI unpacks it. */
        Optional<Path> find() {
            return Stream.concat(
                            Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(Path::of),
                            Stream.of(Path.of("/usr/sbin"), UNPACKED))
                    .map(directory -> directory.resolve(name().toLowerCase(Locale.ROOT)))
                    .filter(Files::isExecutable).findFirst();
        }
    }

    private final Program program;
    private final Path directory;
    private final int items = Brokers.freePort();
    private final int workA = Brokers.freePort();
    private final int workB = Brokers.freePort();
    private final String site;
    private final Process process;

    /**
     * Starts the proxy and waits until it accepts connections.
     *
     * @param directory with {@code proxy.crt}, {@code proxy.key}, {@code proxy.pem} and {@code ca.crt}
     */
    ProxyUnderTest(Program program, Path directory, Backend a, Backend b) throws IOException {
        this.program = program;
        this.directory = directory;
        this.site = block(program.heading)
                .replace("10.0.0.1:8080", "127.0.0.1:" + a.gateway).replace("10.0.0.1:8081", "127.0.0.1:" + a.work)
                .replace("10.0.0.2:8080", "127.0.0.1:" + b.gateway).replace("10.0.0.2:8081", "127.0.0.1:" + b.work)
                .replace("/etc/spillway", directory.toString()).replace("/run/haproxy.sock", socket().toString())
                .replaceAll("(listen |bind :)443\\b", "$1" + items)
                .replace("8441", "" + workA).replace("8442", "" + workB)
                .replace("listen ", "listen 127.0.0.1:").replace("bind :", "bind 127.0.0.1:");
        Files.writeString(directory.resolve("site.conf"), site);
        // As root, nginx would give its work to a user that may not read a directory of this test.
        String user = System.getProperty("user.name").equals("root") ? "user root;" : "";
        Files.writeString(directory.resolve("nginx.conf"), NGINX.formatted(user, directory));
        Path log = directory.resolve("proxy.log");
        this.process = new ProcessBuilder(command())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
        for (int port : List.of(items, workA, workB)) {
            while (!accepts(port)) {
                if (!process.isAlive()) {
                    throw new IllegalStateException(program + " has ended: " + Files.readString(log) + site);
                }
                LockSupport.parkNanos(10_000_000);
            }
        }
        awaitChecked();
    }

    /** Waits until HAProxy's first checks have found all servers: before, it may lose all of them at once. */
    private void awaitChecked() throws IOException {
        while (program == Program.HAPROXY && !(CHECKED.matcher(ask("show stat")).results().count() == SERVERS)) {
            LockSupport.parkNanos(100_000_000);
        }
    }

    /** Ports of a process with a gateway and a worker. */
    record Backend(int gateway, int work) {
        static Backend withFreePorts() {
            return new Backend(Brokers.freePort(), Brokers.freePort());
        }
    }

    private List<String> command() {
        String path = program.find().orElseThrow().toString();
        return switch (program) {
            case NGINX -> List.of(path, "-p", directory.toString(), "-e", directory.resolve("error.log").toString(),
                    "-c", directory.resolve("nginx.conf").toString(), "-g", "daemon off;");
            case HAPROXY -> List.of(path, "-W", "-f", directory.resolve("site.conf").toString());
        };
    }

    String itemsUrl() {
        return "https://127.0.0.1:" + items;
    }

    /** Returns the addresses whose first process is {@code a}, and {@code b}. */
    List<String> workUrls() {
        return List.of("https://127.0.0.1:" + workA, "https://127.0.0.1:" + workB);
    }

    /** Reads the configuration again, and waits until the processes with the former one have ended. */
    void reload() throws IOException, InterruptedException {
        Set<ProcessHandle> former = process.children().collect(Collectors.toSet());
        String signal = program == Program.NGINX ? "-HUP" : "-USR2";
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).inheritIO().start().waitFor();
        while (former.stream().anyMatch(ProcessHandle::isAlive) || process.children().findAny().isEmpty()) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Sends no further items to a gateway, as the page says. */
    void takeOut(String name, Backend backend) throws IOException, InterruptedException {
        if (program == Program.HAPROXY) {
            tell("set server gateways/" + name + " state drain");
            return;
        }
        String address = "server 127.0.0.1:" + backend.gateway;
        Files.writeString(directory.resolve("site.conf"), site.replace(address + ";", address + " down;"));
        reload();
    }

    void putBack(String name) throws IOException, InterruptedException {
        if (program == Program.HAPROXY) {
            tell("set server gateways/" + name + " state ready");
            return;
        }
        Files.writeString(directory.resolve("site.conf"), site);
        reload();
    }

    private Path socket() {
        return directory.resolve("haproxy.sock");
    }

    private void tell(String command) throws IOException {
        String text = ask(command);
        if (!text.isBlank()) {
            throw new IllegalStateException(command + ": " + text);
        }
    }

    private String ask(String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket()));
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)));
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            ByteBuffer read = ByteBuffer.allocate(4_096);
            while (channel.read(read.clear()) >= 0) {
                answer.write(read.array(), 0, read.position());
            }
            return answer.toString(StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.toHandle().destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the first block of code below a heading of the page. */
    private static String block(String heading) throws IOException {
        Matcher block = Pattern.compile("^" + heading + "$.*?^```\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(PAGE));
        if (!block.find()) {
            throw new IllegalStateException("No configuration below " + heading + " in " + PAGE);
        }
        return block.group(1);
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
