package io.spillway.operator.report;

import io.spillway.core.text.Printable;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Page of the list of tenants.
 *
 * @param sort        what orders the list; ties are ordered by name
 * @param isAscending smallest first
 * @param search      text that names contain, in lower case; empty for all
 * @param from        number of tenants before the page, 0 or more
 * @param limit       tenants in the page, 0 to {@value #MAX_LIMIT}
 */
public record DepthsQuery(Sort sort, boolean isAscending, String search, int from, int limit) {
    public static final int MAX_LIMIT = 200;
    private static final Set<Sort> COLUMNS = EnumSet.range(Sort.WAITING, Sort.DEAD);
    private static final int LIMIT = 50;
    private static final int MAX_FROM = 1_000_000;
    private static final int MAX_SEARCH_LENGTH = 128;

    /** Late tenants, then the largest backlogs, then the largest inflows; only tenants with a backlog or a flow. */
    public static final DepthsQuery BUSIEST = new DepthsQuery(Sort.BUSIEST, false, "", 0, MAX_LIMIT);

    /** Columns that can order the list; {@link #BUSIEST} is none that a request can ask for. */
    public enum Sort {
        WAITING, TENANT, IN, OUT, DRAIN, DEAD, BUSIEST;

        private String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Returns the page of a request; without parameters, the tenants with the largest backlogs.
     *
     * @throws IllegalArgumentException if a parameter has another form
     */
    static DepthsQuery of(Map<String, String> parameters) {
        String sort = parameters.getOrDefault("sort", Sort.WAITING.label());
        Sort by = COLUMNS.stream().filter(candidate -> candidate.label().equals(sort)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("sort is " + Printable.of(sort) + ": must be one of "
                        + COLUMNS.stream().map(Sort::label).collect(Collectors.joining(", ")) + "."));
        String order = parameters.getOrDefault("order", by == Sort.TENANT ? "asc" : "desc");
        if (!order.equals("asc") && !order.equals("desc")) {
            throw new IllegalArgumentException("order is " + Printable.of(order) + ": must be asc or desc.");
        }
        String search = parameters.getOrDefault("search", "");
        if (search.length() > MAX_SEARCH_LENGTH) {
            throw new IllegalArgumentException("search must have at most " + MAX_SEARCH_LENGTH + " characters.");
        }
        return new DepthsQuery(by, order.equals("asc"), search.toLowerCase(Locale.ROOT),
                number(parameters, "from", 0, MAX_FROM), number(parameters, "limit", LIMIT, MAX_LIMIT));
    }

    boolean finds(String tenant) {
        return search.isEmpty() || tenant.toLowerCase(Locale.ROOT).contains(search);
    }

    private static int number(Map<String, String> parameters, String name, int absent, int most) {
        String text = parameters.getOrDefault(name, Integer.toString(absent));
        if (!text.matches("[0-9]{1,7}") || Integer.parseInt(text) > most) {
            throw new IllegalArgumentException(
                    name + " is " + Printable.of(text) + ": must be a whole number from 0 to " + most + ".");
        }
        return Integer.parseInt(text);
    }
}
