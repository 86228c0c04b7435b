package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterSamples;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console in a browser, on a gateway with many tenants. */
@Timeout(900) // Against a hang; nothing is measured.
class ConsoleBrowserIT {
    private static final int[] WIDE = {1440, 900};
    private static final List<String> PAGES =
            List.of("Overview", "Tenants", "Dead letters", "Sweeps", "Instances", "Actions");

    private static BrowserUnderTest browser;

    private GatewayUnderTest gateway;

    @BeforeAll
    static void startBrowser() {
        browser = BrowserUnderTest.start();
    }

    @AfterAll
    static void closeBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void listen() {
        gateway = new GatewayUnderTest(true);
        gateway.nowMillis.set(System.currentTimeMillis());
        for (int i = 0; i < 120; i++) {
            gateway.waits("tenant-%03d".formatted(i), i);
        }
        gateway.policy("acme", PolicySettings.NONE_SET.with(PolicyField.MAX_DEPTH, "100"));
        gateway.waits("acme", 4_000);
        gateway.gateway.sample();
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void every_page_shows_its_figures_at_three_widths_without_an_error() {
        for (int[] size : BrowserUnderTest.SIZES) {
            try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, size)) {
                tab.open(gateway.url + "/console");
                for (String page : PAGES) {
                    tab.follow(page).assertClean(page + " at " + size[0]);
                }
                tab.open(gateway.url + "/console#/tenants/acme").assertClean("acme at " + size[0]);
            }
        }
    }

    @Test
    void no_page_has_a_serious_finding_of_axe_in_either_scheme() {
        gateway.policy("tenant-100", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"));
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE, scheme)) {
                tab.open(gateway.url + "/console");
                for (String page : PAGES) {
                    tab.follow(page).assertAccessible(page + " " + scheme);
                }
                tab.open(gateway.url + "/console#/tenants/acme").assertAccessible("acme " + scheme);
                tab.page().click("text='Isolate…'");
                tab.assertAccessible("dialog " + scheme);
            }
        }
    }

    @Test
    void an_address_with_credentials_works() {
        try (BrowserUnderTest.Tab tab = browser.tab("", WIDE)) {
            String address = gateway.url.replace("://", "://operator:" + GatewayUnderTest.ADMIN_KEY + "@");
            tab.open(address + "/console");
            tab.follow("Tenants").assertClean("with credentials in the address");
            assertThat(tab.page().textContent("main")).contains("acme");
        }
    }

    @Test
    void a_search_finds_a_tenant_beyond_the_first_page() {
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(gateway.url + "/console").follow("Tenants");
            Page page = tab.page();
            assertThat(page.locator("tbody tr").count()).isEqualTo(50);
            assertThat(page.textContent("tbody")).doesNotContain("tenant-007");
            page.locator("input[type=search]").pressSequentially("nt-007");
            PlaywrightAssertions.assertThat(page.locator("tbody tr")).hasCount(1);
            assertThat(page.textContent("tbody")).contains("tenant-007");
            assertThat((String) page.evaluate("document.activeElement.value"))
                    .as("keeps the focus").isEqualTo("nt-007");
            page.click("text='tenant-007'");
            page.waitForSelector("h2:text-is('tenant-007')");
            tab.shown().assertClean("after a search");
        }
    }

    @Test
    void pages_of_the_list_follow_each_other_and_are_addresses() {
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(gateway.url + "/console#/tenants?sort=tenant");
            Page page = tab.page();
            page.click("text='Next'");
            page.waitForSelector("tbody tr:first-child >> text='tenant-049'");
            page.reload();
            tab.shown();
            assertThat(page.textContent("tbody tr:first-child")).contains("tenant-049");
            assertThat(page.isEnabled("text='Previous'")).isTrue();
        }
    }

    @Test
    void the_title_says_what_is_wrong() {
        gateway.policy("tenant-100", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"));
        gateway.policy("tenant-101", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"));
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(gateway.url + "/console");
            PlaywrightAssertions.assertThat(tab.page()).hasTitle("2 tenants late - Spillway");
            gateway.nowMillis.addAndGet(60_000);
            PlaywrightAssertions.assertThat(tab.page()).hasTitle("Nothing moves - Spillway");
            gateway.close();
            PlaywrightAssertions.assertThat(tab.page()).hasTitle("No data - Spillway");
            assertThat(tab.page().textContent("#state")).startsWith("The gateway does not respond; last update at ");
        }
    }

    @Test
    void a_keyboard_is_enough_and_shows_where_it_is() {
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(gateway.url + "/console");
            Page page = tab.page();
            page.keyboard().press("Tab");
            assertThat((String) page.evaluate("document.activeElement.id")).isEqualTo("skip");
            page.keyboard().press("Tab");
            page.keyboard().press("Tab");
            assertThat((String) page.evaluate("document.activeElement.textContent")).isEqualTo("Tenants");
            assertThat((String) page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
                    .isEqualTo("solid");
            page.keyboard().press("Enter");
            page.waitForSelector("h2:text-is('Tenants')");
            assertThat((String) page.evaluate("document.activeElement.textContent")).isEqualTo("Tenants");
        }
    }

    @Test
    void a_selected_dead_letter_is_not_its_namesake_of_another_tenant() {
        gateway.queue.letters.add(DeadLetterSamples.letter(1, 3, "bolt", "order-1", 1_000, new byte[] {1}));
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(gateway.url + "/console#/dead-letters");
            Page page = tab.page();
            page.check("[aria-label='Dead letters'] tr:has-text('bolt') >> input[type=checkbox]");
            page.click("text='Discard…'");
            PlaywrightAssertions.assertThat(page.locator("dialog")).containsText("Would discard 1 dead letter.");
            page.click("#dialog-yes");
            page.waitForSelector("tr:has-text('discard') >> text='done'");
            assertThat(gateway.queue.letters).extracting(DeadLetter::owner).containsExactly("acme");
        }
    }

    @Test
    void an_empty_system_explains_the_first_steps() {
        try (GatewayUnderTest empty = new GatewayUnderTest(true);
                BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.open(empty.url + "/console");
            assertThat(tab.page().innerText("main")).contains("No items yet", "./spillway send --tenant acme");
            assertThat(tab.page().isVisible("figure")).isFalse();
            tab.assertClean("empty");
            tab.assertAccessible("empty");
        }
    }

    @Test
    void names_that_look_like_markup_are_text() {
        gateway.policy("x", PolicySettings.NONE_SET);
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            tab.page().route("**/admin/depths*", route -> {
                APIResponse answer = route.fetch();
                route.fulfill(new Route.FulfillOptions().setResponse(answer)
                        .setBody(answer.text().replace("\"acme\"", "\"<img src=x onerror=alert(1)>\"")));
            });
            tab.open(gateway.url + "/console");
            assertThat(tab.page().textContent("tbody >> nth=1")).contains("<img src=x onerror=alert(1)>");
            assertThat(tab.page().locator("main img").count()).isZero();
            tab.assertClean("markup");
        }
    }

    @Test
    void times_are_in_the_zone_of_the_reader_with_the_instant_as_title() {
        try (BrowserUnderTest.Tab tab = browser.tab(GatewayUnderTest.ADMIN_KEY, WIDE)) {
            gateway.reads.put("spillway.demand", "gateway/g1", new byte[0], gateway.nowMillis.get());
            tab.open(gateway.url + "/console#/instances");
            String title = tab.page().getAttribute("time", "title");
            assertThat(title).isEqualTo(Instant.ofEpochMilli(gateway.nowMillis.get()).toString());
            assertThat(tab.page().textContent("time")).isEqualTo(DateTimeFormatter
                    .ofPattern("HH:mm:ss").withZone(ZoneId.of("Europe/Zurich"))
                    .format(Instant.parse(title)));
        }
    }
}
