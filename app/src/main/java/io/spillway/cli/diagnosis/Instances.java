package io.spillway.cli.diagnosis;

import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.ProgressMark;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.MemberDescription;

/**
 * Running instances of a queue. Routers and workers are members of groups; every instance commits a mark with its
 * version in the view of the policies, and a gateway also in that of the keys.
 *
 * @param routers  number of routers
 * @param workers  number of workers, also embedded ones
 * @param gateways number of gateways
 * @param versions version by instance; empty text for one that does not name it
 */
record Instances(int routers, int workers, int gateways, SortedMap<String, String> versions) {
    static final Instances NONE = new Instances(0, 0, 0, new TreeMap<>());
    /** An instance commits every second, and its clock may differ from the one here. */
    static final long ALIVE_MILLIS = 10_000;

    /** Reads them; throws {@link KafkaFailure} if the cluster refuses or does not answer. */
    static Instances read(Admin admin, Topics topics, long nowMillis) {
        List<String> groups = TopicAdmin.get(admin.listGroups().all(), "list groups").stream()
                .map(GroupListing::groupId).toList();
        SortedMap<String, String> versions = new TreeMap<>();
        alive(admin, groups, topics.policies(), nowMillis).forEach((name, mark) -> versions.put(name, mark.version()));
        return new Instances(
                clients(admin, topics.routerGroup()), clients(admin, topics.workerGroup()),
                alive(admin, groups, topics.keys(), nowMillis).size(), versions);
    }

    /** Kafka Streams has a member for each thread, and its client id is that of the instance with its number. */
    private static int clients(Admin admin, String group) {
        return (int) new QueueAdmin(admin).members(group).stream().map(MemberDescription::clientId)
                .map(id -> id.replaceFirst("-StreamThread-.*", "")).distinct().count();
    }

    private static Map<String, ProgressMark> alive(Admin admin, List<String> groups, String topic, long nowMillis) {
        Map<String, ProgressMark> marks = InstanceViews.marks(admin, groups, topic);
        marks.values().removeIf(mark -> Math.abs(nowMillis - mark.atMillis()) > ALIVE_MILLIS);
        return marks;
    }
}
