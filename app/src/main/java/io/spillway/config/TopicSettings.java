package io.spillway.config;

/**
 * How topics are made, and what they are checked against at every start.
 *
 * @param partitions  partitions of ingress and of every lane
 * @param replication replicas of every topic; the embedded broker always has 1
 * @param maxBytes    largest record that ingress takes, in bytes with key, headers and framing
 */
public record TopicSettings(int partitions, int replication, int maxBytes) {
    public TopicSettings {
        InvalidSettingException.requireRange("topics.partitions", partitions, 1, 10_000);
        InvalidSettingException.requireRange("topics.replication", replication, 1, 9);
        InvalidSettingException.requireRange("topics.maxBytes", maxBytes, 1_024, 100 * 1024 * 1024);
    }

    /** These settings with another number of replicas. */
    public TopicSettings withReplication(int other) {
        return new TopicSettings(partitions, other, maxBytes);
    }
}
