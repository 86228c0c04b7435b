/** Other ways to run the items of many tenants through Kafka, each as its documentation recommends (decision 0020). */
package io.spillway.bench.peers;
