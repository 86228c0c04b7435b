package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.spillway.gateway.BrowserUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.view.ProgressMark;
import io.spillway.runtime.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console in a browser, on a whole system with a flood, an outage and poison pills. */
@Timeout(900) // Against a hang; nothing is measured.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleIT {
    private static final String VIEWER_KEY = "spv_0123456789abcdef0123456789abcdef";
    private static final int[] WIDE = {1440, 900};
    private static final List<String> PAGES =
            List.of("Overview", "Tenants", "Dead letters", "Sweeps", "Instances", "Actions");

    @TempDir
    static Path directory;

    private static BrowserUnderTest browser;
    private static SpillwayProcess system;
    private static String console;
    private static String key;

    @BeforeAll
    static void start() throws Exception {
        browser = BrowserUnderTest.start();
        CommandsUnderTest.written(directory, CommandsUnderTest.SMALL + "kafka:\n  embeddedPort: 0\nhandler:\n"
                + "  type: class\n  class: " + TroubledHandler.class.getName() + "\nworker:\n  slots: 10\n");
        Path data = directory.resolve("data");
        system = SpillwayProcess.start(
                data, Map.of("SPILLWAY_VIEWER_KEY", VIEWER_KEY), "--config", directory.resolve("test.yml").toString());
        console = Endpoint.read(data).orElseThrow().gateway() + "/console";
        key = Files.readString(data.resolve("admin.key")).strip();
        run("tenants", "set", "flood", "--rate", "100", "--ttl", "15m", "--wait").done();
        StringBuilder items = new StringBuilder();
        add(items, "outage", 200, "down");
        add(items, "acme", 12, "{\\\"order\\\":17,\\\"price\\\":\\\"12,50\\\"}");
        for (int i = 1; i <= 60; i++) {
            add(items, "shop-%02d".formatted(i), 5, "done");
        }
        send(items);
        awaitDeadLetters("acme", 12);
        // Last: what does not fit into hot beside it waits behind it. Ten slots at 2 s: 33 minutes, so that for the
        // first 18 it is later than its time to live, however slow the machine and its browser are.
        StringBuilder flood = new StringBuilder();
        add(flood, "flood", 10_000, "slow");
        send(flood);
    }

    @AfterAll
    static void stop() {
        if (browser != null) {
            browser.close();
        }
        if (system != null) {
            system.close();
        }
    }

    /** First, because the others change what is shown. */
    @Test
    @Order(1)
    void every_page_shows_the_troubles_at_three_widths_without_an_error() {
        for (int[] size : BrowserUnderTest.SIZES) {
            ColorScheme scheme = size[0] == 820 ? ColorScheme.DARK : ColorScheme.LIGHT;
            try (BrowserUnderTest.Tab tab = browser.tab(key, size, scheme)) {
                tab.open(console);
                for (String page : PAGES) {
                    tab.follow(page);
                    String what = page + " at " + size[0];
                    tab.assertClean(what);
                    tab.picture(page.toLowerCase().replace(' ', '-') + "-" + size[0]);
                }
                tab.open(console + "#/tenants/flood");
                assertThat(tab.page().innerText("main")).contains("its time to live", "over 100.0 per second");
                tab.assertClean("flood at " + size[0]);
                tab.picture("tenant-" + size[0]);
            }
        }
    }

    @Test
    void the_instances_of_the_system_are_shown_with_their_partitions() {
        try (BrowserUnderTest.Tab tab = browser.tab(key, WIDE)) {
            tab.open(console + "#/instances");
            assertThat(tab.page().innerText("[aria-label=Workers]"))
                    .contains("spillway.hot 0–1", "10", ProgressMark.at(0).version());
            assertThat(tab.page().innerText("[aria-label=Routers]")).contains("spillway.ingress 0–1");
            assertThat(tab.page().locator("[aria-label=Gateways] tbody tr").count()).isEqualTo(1);
        }
    }

    @Test
    void a_pause_and_a_rate_by_click_are_stored_and_logged() {
        try (BrowserUnderTest.Tab tab = browser.tab(key, WIDE)) {
            tab.open(console + "#/tenants/shop-01");
            Page page = tab.page();
            page.click("text='Pause…'");
            assertThat(page.innerText("dialog")).contains("Pause shop-01?", "held in the delay lane");
            page.click("#dialog-no");
            assertThat(policy("shop-01")).as("not agreed to").doesNotContain("\"paused\":true");
            page.click("text='Pause…'");
            page.click("#dialog-yes");
            page.waitForSelector("#dialog", new Page.WaitForSelectorOptions()
                    .setState(WaitForSelectorState.HIDDEN));
            assertThat(policy("shop-01")).contains("\"paused\":true");

            page.click("text='Set rate…'");
            page.fill("dialog input", "nonsense");
            page.click("#dialog-yes");
            PlaywrightAssertions.assertThat(page.locator("#dialog-error")).containsText("rate");
            tab.assertComplained("400");
            page.fill("dialog input", "7");
            page.click("#dialog-yes");
            page.waitForSelector("dd:text-is('set for shop-01'), td:text-is('set for shop-01')");
            assertThat(policy("shop-01")).contains("\"ratePerSecond\":7");

            tab.follow("Actions");
            assertThat(page.innerText("tbody tr:has-text('pause')")).contains("shop-01", "operator");
            tab.assertClean("actions");
        }
    }

    @Test
    void dead_letters_are_read_selected_replayed_and_discarded_and_the_progress_outlives_a_reload() {
        try (BrowserUnderTest.Tab tab = browser.tab(key, WIDE)) {
            tab.open(console + "#/dead-letters?tenant=acme");
            Page page = tab.page();
            page.click("tbody >> nth=0 >> button >> nth=0");
            PlaywrightAssertions.assertThat(page.locator("dialog")).containsText("\"price\": \"12,50\"");
            assertThat(page.innerText("dialog")).contains("cannot parse the order");
            tab.assertAccessible("payload");
            page.click("#dialog-no");

            page.check("input[type=checkbox] >> nth=0");
            page.click("text='Replay…'");
            PlaywrightAssertions.assertThat(page.locator("dialog")).containsText("Would replay 1 dead letter");
            page.click("#dialog-yes");
            page.waitForSelector("tr:has-text('replay') >> text='done'");
            page.reload();
            tab.shown();
            assertThat(page.innerText("tr:has-text('replay')")).contains("1 of 1", "operator");
            // It was attempted again, and is a dead letter again.
            awaitDeadLetters("acme", 12);

            page.click("text='Discard…'");
            PlaywrightAssertions.assertThat(page.locator("dialog")).containsText("Would discard ");
            page.click("#dialog-yes");
            page.waitForSelector("tr:has-text('discard') >> text='done'");
            awaitDeadLetters("acme", 0);
            PlaywrightAssertions.assertThat(page.locator("[aria-label='Dead letters'] tbody tr")).hasCount(0);
            tab.assertClean("dead letters");
        }
    }

    @Test
    void a_viewer_sees_figures_but_no_buttons_and_no_payload() {
        try (BrowserUnderTest.Tab tab = browser.tab(VIEWER_KEY, WIDE)) {
            tab.open(console + "#/tenants/flood");
            assertThat(tab.page().innerText("main")).contains("its time to live");
            assertThat(tab.page().locator("main button").count()).isZero();
            tab.follow("Dead letters");
            assertThat(tab.page().locator("main input[type=checkbox]").count()).isZero();
            assertThat(tab.page().locator("main button").allInnerTexts()).doesNotContain("Replay…", "Discard…");
            tab.follow("Sweeps");
            assertThat(tab.page().locator("main button").count()).isZero();
            tab.assertClean("viewer");
        }
    }

    private static void add(StringBuilder items, String tenant, int count, String payload) {
        for (int i = 0; i < count; i++) {
            items.append("{\"tenant\":\"%s\",\"id\":\"%s-%d\",\"payload\":\"%s\"}%n"
                    .formatted(tenant, tenant, i, payload));
        }
    }

    private static void send(StringBuilder items) throws IOException {
        run("send", "--file", Files.writeString(directory.resolve("items.jsonl"), items).toString()).done();
    }

    private static String policy(String tenant) {
        return run("tenants", "get", tenant, "--output", "json").done().out();
    }

    /** Returns when a tenant has this number of dead letters: lines of the list but the last, which is the summary. */
    private static void awaitDeadLetters(String tenant, int expected) {
        String[] list = {"dead-letters", "list", "--tenant", tenant, "--output", "json"};
        while (run(list).done().out().lines().count() - 1 != expected) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static CommandRun run(String... command) {
        return CommandRun.of(Stream.concat(Stream.of(command), Stream.of(
                "--data", directory.resolve("data").toString(), "--config", directory.resolve("test.yml").toString()))
                .toArray(String[]::new));
    }
}
