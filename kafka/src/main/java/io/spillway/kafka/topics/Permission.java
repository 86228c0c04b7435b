package io.spillway.kafka.topics;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Operations that a role needs on one resource of Kafka, as its ACLs grant them.
 *
 * @param type       topic, group or transactional id
 * @param name       name, or first part of the names if the pattern is prefixed
 * @param pattern    literal or prefixed
 * @param operations one or more, in the order of Kafka, without those that others imply
 */
public record Permission(ResourceType type, String name, PatternType pattern, Set<AclOperation> operations) {
    private static final Set<AclOperation> IMPLY_DESCRIBE =
            EnumSet.of(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER);

    public Permission {
        TreeSet<AclOperation> sorted = new TreeSet<>(operations);
        if (!Collections.disjoint(sorted, IMPLY_DESCRIBE)) {
            sorted.remove(AclOperation.DESCRIBE);
        }
        operations = Collections.unmodifiableSet(sorted);
    }

    /** Creates the permission for one topic. */
    public static Permission topic(String name, Collection<AclOperation> operations) {
        return new Permission(ResourceType.TOPIC, name, PatternType.LITERAL, Set.copyOf(operations));
    }

    /** Returns the operations as ACLs have them, such as {@code READ, WRITE}. */
    public String operationsText() {
        return operations.stream().map(AclOperation::name).collect(Collectors.joining(", "));
    }

    /** Returns the resource as text, such as {@code transactional id NAME}. */
    public String resourceText() {
        return resourceText(name);
    }

    String resourceText(String actualName) {
        return type.name().toLowerCase(Locale.ROOT).replace("_id", " id") + " " + actualName;
    }
}
