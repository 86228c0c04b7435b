package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.text.Printable;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Role of a process. */
public enum Role {
    GATEWAY, ROUTER, WORKER;

    static final Set<Role> DEFAULT = Set.of(GATEWAY, ROUTER, WORKER);

    static final String ALL = Arrays.stream(values()).map(Role::label).collect(Collectors.joining(", "));

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the roles with these names; all roles if there are none. */
    public static Set<Role> of(Collection<String> names) {
        if (names.isEmpty()) {
            return DEFAULT;
        }
        Set<Role> roles = EnumSet.noneOf(Role.class);
        for (String name : names) {
            roles.add(Arrays.stream(values())
                    .filter(role -> role.label().equals(name.strip())).findFirst()
                    .orElseThrow(() -> CommandFailure.usage(
                            "--roles " + Printable.of(name) + ": must be one or more of " + ALL)));
        }
        return roles;
    }
}
