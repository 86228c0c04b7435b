package io.spillway.runtime;

import io.spillway.config.Configuration;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.PermissionCheck;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.AccessRole;
import io.spillway.router.Permissions;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;

/** Check that the login of this process has the permissions of a role. */
public final class RolePermissions {
    private static final int MAX_NAMED = 5;

    private RolePermissions() {}

    /**
     * Returns one line with the missing permissions and the command that prints the ACLs, or nothing.
     *
     * @param instance name of this instance; a worker may have another, {@code worker.id}
     */
    public static List<String> problems(
            Admin admin, Configuration configuration, AccessRole role, String instance, SuggestedCommands commands) {
        String worker = configuration.worker().id();
        List<String> missing = new PermissionCheck(admin, instance, worker.isEmpty() ? instance : worker)
                .missing(Permissions.of(
                        new Topics(configuration.queue()), configuration.router().sourcesByName(), role));
        int more = missing.size() - MAX_NAMED;
        return missing.isEmpty() ? List.of() : List.of(
                "this login lacks permissions of the role " + role.label() + ": "
                        + String.join("; ", missing.subList(0, Math.min(MAX_NAMED, missing.size())))
                        + (more > 0 ? "; and " + more + " more" : "")
                        + ". Print the ACLs of the role with: "
                        + commands.spillway("topics acls --role " + role.label()));
    }
}
