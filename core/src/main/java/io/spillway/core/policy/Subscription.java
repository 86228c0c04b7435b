package io.spillway.core.policy;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * Subscriber of a tenant's items: each item of a workload that its pattern matches becomes a delivery to it, an item of
 * its own with the {@link #workload}.
 *
 * @param name     unique within the tenant; at most {@value #MAX_NAME_LENGTH} characters of a name
 * @param pattern  workloads, exact or what they begin with and a final {@code *}; {@code *} alone also matches items
 *                 without a workload
 * @param settings fields of {@link PolicyField#OF_SUBSCRIPTIONS} that differ from its tenant's
 */
public record Subscription(String name, String pattern, PolicySettings settings) {
    /** What the workload of a delivery begins with, before the name of its subscription. */
    public static final String MARK = "~";
    /** Pattern of all workloads, and the end of one of a beginning. */
    public static final String ANY = "*";
    /** Workload of the event that a subscription of its tenant was paused. Only who names it gets it. */
    public static final String PAUSED_EVENT = "spillway.paused";
    /** The workload of a delivery is one character longer. */
    public static final int MAX_NAME_LENGTH = ItemLimits.MAX_NAME_LENGTH - 1;
    /** Subscriptions that one step may look at, so that it ends soon also if it finds nothing. */
    static final int MOST_SEEN = 10_000;

    /** @throws IllegalArgumentException with the key and the value of a part that is not allowed */
    public Subscription {
        if (!ItemLimits.isName(name) || name.length() > MAX_NAME_LENGTH) {
            throw new IllegalArgumentException("name = " + Printable.of(name) + ": must be at most " + MAX_NAME_LENGTH
                    + " characters, and " + ItemLimits.NAME_ALLOWED);
        }
        if (!isPattern(pattern)) {
            throw new IllegalArgumentException("workloads = " + Printable.of(pattern)
                    + ": must be a workload, or what workloads begin with and *, or * for all");
        }
        settings.values().keySet().stream().filter(field -> !PolicyField.OF_SUBSCRIPTIONS.contains(field)).findFirst()
                .ifPresent(field -> {
                    throw new IllegalArgumentException(field.key() + ": a subscription cannot have it");
                });
        if (!settings.workloads().isEmpty()) {
            throw new IllegalArgumentException("workloads: a subscription has no limits of workloads");
        }
    }

    private static boolean isPattern(String text) {
        boolean isPrefix = text.endsWith(ANY);
        String name = isPrefix ? text.substring(0, text.length() - ANY.length()) : text;
        return ItemLimits.isName(name) ? !name.startsWith(MARK) : isPrefix && name.isEmpty();
    }

    /** Returns the workload of its deliveries. */
    public String workload() {
        return MARK + name;
    }

    /** Returns whether an item of this workload is a delivery to a subscription, and so has no deliveries itself. */
    public static boolean isDelivery(String workload) {
        return workload.startsWith(MARK);
    }

    /** Returns whose receiver gets an item: that of a subscription, as {@code tenant/workload}, or of its tenant. */
    public static String recipient(String tenant, String workload) {
        return isDelivery(workload) ? tenant + "/" + workload : tenant;
    }

    /** Returns whether it gets the items of a workload; empty for none. */
    public boolean matches(String workload) {
        return pattern.equals(ANY) ? !workload.equals(PAUSED_EVENT)
                : pattern.endsWith(ANY) ? workload.startsWith(pattern.substring(0, pattern.length() - ANY.length()))
                : pattern.equals(workload);
    }

    /**
     * Some of the subscriptions that get an item, in the order of their names.
     *
     * @param next name after which to go on; empty when these are the last ones
     */
    public record Page(List<Subscription> found, Optional<String> next) {}

    /**
     * Returns the first ones after a name that match a workload.
     *
     * @param all   of a tenant, by name
     * @param after empty for the beginning
     * @param most  1 or more; of 10,000 that were looked at, fewer may be found
     */
    public static Page matching(
            NavigableMap<String, Subscription> all, String workload, String after, int most) {
        List<Subscription> found = new ArrayList<>();
        int seen = 0;
        for (Subscription subscription : all.tailMap(after, false).values()) {
            if (subscription.matches(workload)) {
                found.add(subscription);
            }
            seen++;
            if (found.size() == most || seen == MOST_SEEN) {
                return new Page(found, Optional.of(subscription.name()));
            }
        }
        return new Page(found, Optional.empty());
    }
}
