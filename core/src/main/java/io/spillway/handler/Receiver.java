package io.spillway.handler;

import java.util.Optional;

/**
 * Receiver of a tenant's items, or of the deliveries to one of its subscriptions.
 *
 * @param url        an HTTP URL, in whose path and query {@code {tenant}} and {@code {workload}} stand for the item's
 * @param signingKey name of the secrets that sign what is sent to it, and of its headers; empty for neither
 */
public record Receiver(String url, Optional<String> signingKey) {}
