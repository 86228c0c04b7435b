package io.spillway.embedded;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Kafka's authorizer, which also records what each user was allowed and denied. Shared by all brokers of this JVM. */
public final class RecordingAuthorizer extends StandardAuthorizer {
    private static final Set<String> ALLOWED = new ConcurrentSkipListSet<>();
    private static final Set<String> DENIED = new ConcurrentSkipListSet<>();

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        List<AuthorizationResult> results = super.authorize(context, actions);
        for (int i = 0; i < actions.size(); i++) {
            Action action = actions.get(i);
            boolean isAllowed = results.get(i) == AuthorizationResult.ALLOWED;
            // Kafka logs neither result if it only asks what a user could do.
            if (isAllowed ? action.logIfAllowed() : action.logIfDenied()) {
                (isAllowed ? ALLOWED : DENIED).add(context.principal().getName() + " " + action.operation() + " on "
                        + action.resourcePattern().resourceType() + " " + action.resourcePattern().name());
            }
        }
        return results;
    }

    /** Returns what users were allowed, each as {@code USER OPERATION on TYPE NAME}. */
    public static Set<String> allowed() {
        return new TreeSet<>(ALLOWED);
    }

    /** Returns what users were denied. */
    public static Set<String> denied() {
        return new TreeSet<>(DENIED);
    }

    /** Forgets what was recorded. */
    public static void clear() {
        ALLOWED.clear();
        DENIED.clear();
    }
}
