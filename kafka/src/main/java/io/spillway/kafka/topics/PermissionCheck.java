package io.spillway.kafka.topics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Check of what the login of an admin client may do: without it a missing permission would show when it is first used,
 * maybe days after the start. The caller closes the client.
 *
 * <p>Kafka says which operations a login may do on a topic, and on a group that exists. For a group that does not exist
 * yet and for transactional ids, the check only finds out whether the login may do anything.
 */
public final class PermissionCheck {
    private final Admin admin;
    private final String instance;
    private final String transactions;

    /**
     * Creates a check.
     *
     * @param instance     rest of the names of groups with a prefix
     * @param transactions rest of the names of transactional ids with a prefix
     */
    public PermissionCheck(Admin admin, String instance, String transactions) {
        this.admin = admin;
        this.instance = instance;
        this.transactions = transactions;
    }

    /**
     * Returns what the login lacks, such as {@code WRITE on topic NAME}, in the order of the permissions. Topics that
     * do not exist are not checked. Throws {@link KafkaFailure} if the cluster does not answer.
     */
    public List<String> missing(Collection<Permission> needed) {
        Map<Permission, KafkaFuture<Set<AclOperation>>> asked = new HashMap<>();
        askTopics(of(needed, ResourceType.TOPIC), asked);
        askGroups(of(needed, ResourceType.GROUP), asked);
        askTransactions(of(needed, ResourceType.TRANSACTIONAL_ID), asked);
        List<String> missing = new ArrayList<>();
        for (Permission permission : needed) {
            Set<AclOperation> lacking = EnumSet.copyOf(permission.operations());
            lacking.removeAll(granted(permission, asked.get(permission)));
            if (!lacking.isEmpty()) {
                missing.add(new Permission(permission.type(), permission.name(), permission.pattern(), lacking)
                        .operationsText() + " on " + permission.resourceText(actual(permission)));
            }
        }
        return missing;
    }

    private static List<Permission> of(Collection<Permission> needed, ResourceType type) {
        return needed.stream().filter(permission -> permission.type() == type).toList();
    }

    private String actual(Permission permission) {
        return permission.pattern() == PatternType.LITERAL ? permission.name()
                : permission.name() + (permission.type() == ResourceType.GROUP ? instance : transactions);
    }

    private void askTopics(List<Permission> topics, Map<Permission, KafkaFuture<Set<AclOperation>>> asked) {
        var answers = admin.describeTopics(topics.stream().map(Permission::name).toList(),
                new DescribeTopicsOptions().includeAuthorizedOperations(true)).topicNameValues();
        topics.forEach(topic ->
                asked.put(topic, answers.get(topic.name()).thenApply(found -> found.authorizedOperations())));
    }

    private void askGroups(List<Permission> groups, Map<Permission, KafkaFuture<Set<AclOperation>>> asked) {
        var answers = admin.describeConsumerGroups(groups.stream().map(this::actual).toList(),
                new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true)).describedGroups();
        groups.forEach(group ->
                asked.put(group, answers.get(actual(group)).thenApply(found -> found.authorizedOperations())));
    }

    private void askTransactions(List<Permission> ids, Map<Permission, KafkaFuture<Set<AclOperation>>> asked) {
        var answers = admin.describeTransactions(ids.stream().map(this::actual).toList());
        ids.forEach(id -> asked.put(id, answers.description(actual(id)).thenApply(found -> id.operations())));
    }

    private Set<AclOperation> granted(Permission permission, KafkaFuture<Set<AclOperation>> answer) {
        try {
            Set<AclOperation> granted = TopicAdmin.get(answer, "read permissions on " + permission.resourceText());
            // A cluster may not tell.
            return granted == null || granted.isEmpty() ? permission.operations() : granted;
        } catch (KafkaFailure e) {
            return switch (e.getCause()) {
                case AuthorizationException refused -> Set.of();
                case UnknownTopicOrPartitionException missing -> permission.operations();
                case GroupIdNotFoundException missing -> permission.operations();
                case TransactionalIdNotFoundException missing -> permission.operations();
                default -> throw e;
            };
        }
    }
}
