package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Chromium of this machine for tests of the console: {@code -Dspillway.test.browser=PATH}, else the first of its usual
 * names on the PATH. Tests are skipped where there is none. Owner of the browser and its tabs.
 */
public final class BrowserUnderTest implements AutoCloseable {
    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell");
    private static final String USER = "operator";
    /** Far longer than a busy machine needs: a page that never shows its figures still fails. */
    private static final double TIMEOUT_MILLIS = 300_000;
    /** Width and height in pixels. */
    public static final List<int[]> SIZES = List.of(new int[] {390, 844}, new int[] {820, 1180}, new int[] {1440, 900});

    private final Playwright playwright;
    private final Browser browser;

    private BrowserUnderTest(Path executable) {
        PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MILLIS);
        this.playwright = Playwright.create(new Playwright.CreateOptions()
                .setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        // A container has no user namespaces for the sandbox, and the pages are ours.
        this.browser = playwright.chromium().launch(new BrowserType.LaunchOptions()
                .setExecutablePath(executable).setArgs(List.of("--no-sandbox", "--disable-gpu")));
    }

    /** Starts the browser, or skips the test. */
    public static BrowserUnderTest start() {
        Optional<Path> executable = executable();
        assumeTrue(executable.isPresent(), "NOT TESTED: the console in a browser. None of " + NAMES
                + " is on the PATH. Install one, or give its path with -Dspillway.test.browser=PATH");
        return new BrowserUnderTest(executable.get());
    }

    private static Optional<Path> executable() {
        String given = System.getProperty("spillway.test.browser", "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable).findFirst();
    }

    /** Opens a tab that answers the challenge of the gateway with this key. */
    public Tab tab(String key, int[] size) {
        return tab(key, size, ColorScheme.LIGHT);
    }

    /** Opens a tab in one of the two color schemes. */
    public Tab tab(String key, int[] size, ColorScheme scheme) {
        Browser.NewContextOptions options = new Browser.NewContextOptions()
                .setViewportSize(size[0], size[1]).setColorScheme(scheme).setLocale("en-GB")
                .setTimezoneId("Europe/Zurich");
        return new Tab(browser.newContext(key.isEmpty() ? options : options.setHttpCredentials(USER, key)));
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }

    /** Tab with what its page has written to the console of the browser. Owner of its context. */
    public static final class Tab implements AutoCloseable {
        private final BrowserContext context;
        private final Page page;
        private final List<String> errors = new ArrayList<>();

        private Tab(BrowserContext context) {
            this.context = context;
            context.addInitScript("window.shifted = 0; new PerformanceObserver((list) => list.getEntries().forEach((e) =>"
                    + " { if (!e.hadRecentInput) window.shifted += e.value; })).observe({type: 'layout-shift', buffered: true});");
            this.page = context.newPage();
            page.setDefaultTimeout(TIMEOUT_MILLIS);
            page.onConsoleMessage(message -> {
                if (message.type().equals("error") || message.type().equals("warning")) {
                    errors.add(message.text() + " at " + message.location());
                }
            });
            page.onPageError(error -> errors.add("uncaught: " + error));
        }

        public Page page() {
            return page;
        }

        /** Opens an address of the console, and waits until the page shows its figures. */
        public Tab open(String address) {
            page.navigate(address);
            return shown();
        }

        /** Waits until the page shows its figures. */
        public Tab shown() {
            page.waitForSelector("#main[aria-busy=false] h2");
            PlaywrightAssertions.assertThat(page.locator("#state")).hasText("Live");
            return this;
        }

        /** Opens another page of the console by its link in the navigation. */
        public Tab follow(String name) {
            page.click("nav >> text='" + name + "'");
            page.waitForSelector("#main[aria-busy=false] h2:text-is('" + name + "')");
            return shown();
        }

        /** Checks that the browser complained about nothing, and that the page did not move while it was loaded. */
        public void assertClean(String what) {
            assertThat(errors).as("console of the browser: %s", what).isEmpty();
            assertThat(((Number) page.evaluate("window.shifted")).doubleValue())
                    .as("layout shift, good up to 0.1: %s", what).isLessThan(0.1);
            assertThat((Boolean) page.evaluate(
                            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
                    .as("the page itself does not scroll sideways: %s", what).isTrue();
        }

        /** Checks that the browser has complained about this alone, and forgets it. */
        public void assertComplained(String text) {
            assertThat(errors).hasSize(1).allSatisfy(error -> assertThat(error).contains(text));
            errors.clear();
        }

        /** Checks the page with axe: no serious or critical finding. */
        public void assertAccessible(String what) {
            assertThat(new AxeBuilder(page).analyze().getViolations())
                    .filteredOn(rule -> rule.getImpact().equals("serious") || rule.getImpact().equals("critical"))
                    .extracting(rule -> rule.getId() + ": " + rule.getNodes().stream()
                            .map(node -> node.getHtml() + " " + node.getFailureSummary()).toList())
                    .as("serious findings of axe: %s", what).isEmpty();
        }

        /** Writes a picture of what the tab shows, if documentation is written. */
        public void picture(String name) {
            if (Boolean.getBoolean("spillway.docs.write")) {
                page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "console", name + ".png")));
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
